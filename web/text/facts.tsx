// The fields of a document besides its heading, as a list of names and values.

import { useState } from "preact/hooks";
import { Breakable } from "./breakable.tsx";
import { type Fields, factsOf } from "./heading.ts";
import { countText } from "./numbers.ts";
import { valueText } from "./value-text.ts";
import { visible } from "./visible.ts";
import { isWebAddress } from "./web-address.ts";

/** Fields that are shown at once. */
const MOST_SHOWN = 20;

export function Facts({ document }: { readonly document: Fields }) {
  const [isWhole, setWhole] = useState(false);
  const facts = factsOf(document);
  if (facts.length === 0) return null;
  const shown = isWhole ? facts : facts.slice(0, MOST_SHOWN);
  const more = facts.length - shown.length;
  const list = (
    <dl class="facts">
      {shown.map(({ name, value }) => (
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
  if (more === 0) return list;
  return (
    <div class="many-facts">
      {list}
      <button type="button" class="plain" onClick={() => setWhole(true)}>
        and {countText(more)} more fields
      </button>
    </div>
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
