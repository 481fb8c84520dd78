// The number of hits, the plan and the time. It is one line of text, and a live region that screen readers announce when
// typing pauses.

import { useEffect, useState } from "preact/hooks";
import type { SearchAnswer, SearchRequest } from "../../src/schemas/index.ts";
import type { Asked } from "../api/use-answer.ts";
import { Notice } from "../shell/states.tsx";
import { counted, countText, millisecondsText } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";

interface StatusProps {
  readonly asked: Asked<unknown, SearchAnswer>;
  /** The current request, if there is one. */
  readonly question: SearchRequest | undefined;
}

/** Milliseconds without a change before screen readers hear the result, so that they do not hear one for every key. */
const REST_MS = 700;

const PLANS = {
  auto: "",
  exact: "",
  pruned: "two stages",
  "inner-product": "inner product first",
  quantized: "product codes first",
};

export function Status({ asked: { answer, busy }, question }: StatusProps) {
  const sentence = !question ? "" : answer ? found(answer, question) : busy ? "Searching …" : "";
  const spoken = useRested(busy ? "" : sentence);
  return (
    <div class="status">
      <p aria-hidden="true">
        {sentence}
        {question && answer && <Stats answer={answer} />}
      </p>
      <p class="for-ears" role="status">
        {spoken}
      </p>
      {question && answer?.notice && <Notice text={answer.notice} />}
      {question && answer && <Unanswered answer={answer} />}
    </div>
  );
}

function found({ hits, stats }: SearchAnswer, { k, filter }: SearchRequest): string {
  if (hits.length === 0) {
    const where = filter ? "that the filters allow" : "of this index";
    return `No document ${where} answers this.`;
  }
  const isAll = hits.length < k!;
  return isAll
    ? counted(hits.length, "result")
    : `The best ${hits.length} of ${counted(stats.docs, "document")}`;
}

function Stats({ answer: { stats } }: { readonly answer: SearchAnswer }) {
  const how = [
    millisecondsText(stats.totalMs),
    stats.exact ? "exact" : "approximate",
    PLANS[stats.plan],
    stats.candidates > 0 && stats.plan === "pruned" ? `${countText(stats.candidates)} candidates` : "",
  ];
  return <span class="quiet"> · {how.filter(Boolean).join(" · ")}</span>;
}

/** Words of the query that are in no document. */
function Unanswered({ answer: { terms } }: { readonly answer: SearchAnswer }) {
  const unknown = terms.filter(({ fate }) => fate === "unknown");
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
