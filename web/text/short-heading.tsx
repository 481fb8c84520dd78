// The heading of a document, cut if it is very long. It can be shown whole.

import { useState } from "preact/hooks";
import { Marked } from "./marked.tsx";
import { countText } from "./numbers.ts";
import type { Range } from "./range.ts";
import { shortened } from "./shortened.ts";

/** Words that are marked in a heading. Tens of thousands would take a browser a minute. */
const MOST_MARKS = 500;

interface ShortHeadingProps {
  readonly text: string;
  readonly ranges?: readonly Range[] | undefined;
}

export function ShortHeading({ text, ranges }: ShortHeadingProps) {
  const [isWhole, setWhole] = useState(false);
  const short = shortened(text);
  return (
    <>
      <h2 dir="auto">
        <Marked text={isWhole ? text : short} ranges={ranges?.slice(0, MOST_MARKS)} />
      </h2>
      {short !== text && !isWhole && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          Show all {countText(text.length)} characters of the title
        </button>
      )}
    </>
  );
}
