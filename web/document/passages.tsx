// The passages of the document that is open, in the order of its text: a table of contents.

import { listDocuments } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../shell/link.tsx";
import { Breakable } from "../text/breakable.tsx";
import { type Fields, headingOf } from "../text/heading.ts";
import { counted } from "../text/numbers.ts";
import { shortened } from "../text/shortened.ts";
import { visible } from "../text/visible.ts";
import { numberOf, type Whole } from "./whole.ts";

/** Passages that are listed. */
const MOST = 200;

interface PassagesProps {
  readonly index: string;
  /** The passage that is open. */
  readonly id: string;
  readonly document: Fields;
  readonly whole: Whole;
}

const ask = ({ index, whole }: PassagesProps, signal: AbortSignal) =>
  listDocuments(index, { filter: whole.filter, limit: MOST, fields: ["title"] }, signal);

export function Passages(props: PassagesProps) {
  const { id, whole } = props;
  const { answer } = useAnswer(props, ask);
  const passages = answer?.documents.toSorted((one, other) => numberOf(one.id) - numberOf(other.id)) ?? [];
  if (passages.length < 2) return null;
  return (
    <section class="passages" aria-labelledby="passages">
      <h3 id="passages">
        <bdi>
          <Breakable text={whole.name} />
        </bdi>
        : {counted(passages.length, "passage")}
      </h3>
      <ol>
        {passages.map((passage) => (
          <li key={passage.id}>
            <Link
              change={{ document: passage.id }}
              replaces
              aria-current={passage.id === id ? "true" : undefined}
            >
              <span class="rank">{numberOf(passage.id)}</span>{" "}
              <bdi>{visible(shortened(partOf(passage.id, passage.document)))}</bdi>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The last heading above a passage. Several passages may have the same one, so the number stands before it. */
function partOf(id: string, document: Fields): string {
  return headingOf(id, document).split(" › ").at(-1)!;
}
