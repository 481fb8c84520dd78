// The number of hits and the time. It is one line of text, and a live region that screen readers announce when
// typing pauses.

import { useEffect, useState } from "preact/hooks";
import { typedWord } from "../../src/analyze/typed-word.ts";
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
  const sentence = !request ? "" : answer ? sentenceOf(answer, request, noun) : busy ? "Searching …" : "";
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
      {request && answer && <Unanswered answer={answer} query={queryText(request)} />}
    </div>
  );
}

function sentenceOf(
  { hits, stats, among, total = 0 }: SearchAnswer,
  { filter, sort, groupBy, k = 0 }: SearchRequest,
  noun: StatusProps["noun"],
): string {
  if (hits.length === 0) {
    const where = filter ? "that the filters allow" : "of this index";
    return `No document ${where} answers this.`;
  }
  // By meaning, every document answers more or less.
  const isBest = among === "best";
  const all = isBest
    ? counted(stats.allowedCount, noun)
    : counted(total, noun === "document" ? "result" : noun);
  const order = sort ? `, by ${visible(fieldOf(sort))}` : "";
  if (groupBy !== undefined) {
    // Passages are grouped by the document that they are of.
    const groups = noun === "passage" ? counted(hits.length, "document") : counted(hits.length, "group");
    const first = hits.length < k ? groups : sort ? `First ${groups}` : `The best ${groups}`;
    return `${first} of ${all}${order}`;
  }
  if (!isBest) return all + order;
  if (!sort) return `The best ${hits.length} of ${all}`;
  // Only the best are sorted.
  return total < stats.allowedCount
    ? `${hits.length} of the best ${counted(total, noun)}${order}`
    : `${hits.length} of ${all}${order}`;
}

const fieldOf = (sort: NonNullable<SearchRequest["sort"]>): string =>
  typeof sort === "string" ? sort.replace(/:(asc|desc)$/, "") : sort.field;

const queryText = ({ query }: SearchRequest): string => (typeof query === "string" ? query : "");

interface UnansweredProps {
  readonly answer: SearchAnswer;
  /** The query as it was typed. */
  readonly query: string;
}

/** Words of the query that are in no document. */
function Unanswered({ answer: { terms }, query }: UnansweredProps) {
  const replaced = new Set(terms.map(({ from }) => from?.toLowerCase()));
  const unknown = terms
    .filter(({ fate, from, alternatives }) => fate === "unknown" && from === undefined && !alternatives)
    .map(({ term }) => ({ term, word: typedWord(query, term) }))
    .filter(({ term, word }) => !replaced.has(term) && !replaced.has(word.toLowerCase()));
  const words = [...new Set(unknown.map(({ word }) => word))];
  if (words.length === 0) return null;
  return (
    <p class="quiet">
      No document has{" "}
      {words.map((word, i) => (
        <span key={word}>
          {i > 0 && ", "}
          <bdi class="word">{visible(word)}</bdi>
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
