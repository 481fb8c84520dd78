import { type Fields, factsOf } from "../text/heading.ts";
import { visible } from "../text/visible.ts";

/** The other fields of a document. */
export function Facts({ document }: { readonly document: Fields }) {
  const facts = factsOf(document);
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>
            <bdi>{visible(name)}</bdi>
          </dt>
          <dd>
            <FactValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A web address becomes a link; everything else is text. */
function FactValue({ value }: { readonly value: string }) {
  if (/^https?:\/\/\S+$/i.test(value) && URL.canParse(value)) {
    return (
      <a href={value} rel="noopener noreferrer nofollow">
        <bdi>{value}</bdi>
      </a>
    );
  }
  return <bdi>{visible(value)}</bdi>;
}
