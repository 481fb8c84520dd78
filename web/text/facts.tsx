// The fields of a document besides its heading, as a list of names and values.

import { Breakable } from "./breakable.tsx";
import { type Fields, factsOf } from "./heading.ts";
import { valueText } from "./value-text.ts";
import { visible } from "./visible.ts";
import { isWebAddress } from "./web-address.ts";

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
  if (isWebAddress(value)) {
    return (
      <a href={value} rel="noopener noreferrer nofollow">
        <bdi>{value}</bdi>
      </a>
    );
  }
  return (
    <bdi>
      <Breakable text={valueText(value)} />
    </bdi>
  );
}
