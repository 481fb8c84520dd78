// The number of hits and the time. It is one line of text, and a live region that screen readers announce when
// typing pauses.

import { useEffect, useState } from "preact/hooks";
import type { SearchAnswer, SearchRequest } from "../../src/schemas/index.ts";
import type { RequestState } from "../api/use-answer.ts";
import { Notice } from "../shell/states.tsx";
import { counted, millisecondsText } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";

interface StatusProps {
  readonly asked: RequestState<unknown, SearchAnswer>;
  /** The current request, if there is one. */
  readonly request: SearchRequest | undefined;
  /** What is counted. */
  readonly noun: "document" | "passage";
}

/** Milliseconds without a change before screen readers hear the result, so that they do not hear one for every key. */
const REST_MS = 700;

export function Status({ asked: { answer, busy }, request, noun }: StatusProps) {
  const filtered = request?.filter !== undefined;
  const sentence = !request ? "" : answer ? sentenceOf(answer, filtered, noun) : busy ? "Searching …" : "";
  const spoken = useRested(busy ? "" : sentence);
  return (
    <div class="status">
      <p aria-hidden="true">
        {sentence}
        {request && answer && <span class="quiet"> · {millisecondsText(answer.stats.totalMs)}</span>}
      </p>
      <p class="for-ears" role="status">
        {spoken}
      </p>
      {request && answer?.notice && <Notice text={answer.notice} />}
      {request && answer && <Unanswered answer={answer} />}
    </div>
  );
}

function sentenceOf(
  { hits, stats, among, total = 0 }: SearchAnswer,
  filtered: boolean,
  noun: string,
): string {
  if (hits.length === 0) {
    const where = filtered ? "that the filters allow" : "of this index";
    return `No document ${where} answers this.`;
  }
  // By meaning, every document answers more or less.
  if (among === "best") return `The best ${hits.length} of ${counted(stats.docs, noun)}`;
  return counted(total, noun === "document" ? "result" : noun);
}

/** Words of the query that are in no document. */
function Unanswered({ answer: { terms } }: { readonly answer: SearchAnswer }) {
  const unknown = terms.filter(({ fate, alternatives }) => fate === "unknown" && !alternatives);
  if (unknown.length === 0) return null;
  return (
    <p class="quiet">
      No document has{" "}
      {unknown.map(({ term }, i) => (
        <span key={term}>
          {i > 0 && ", "}
          <bdi class="word">{visible(term)}</bdi>
        </span>
      ))}
      .
    </p>
  );
}

/** The text, after it has not changed for a while. */
function useRested(text: string): string {
  const [rested, setRested] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
