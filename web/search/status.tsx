// The number of hits and the time. It is one line of text, and a live region that screen readers announce when
// typing pauses.

import { useEffect, useState } from "preact/hooks";
import { likeliestWord } from "../../src/analyze/likeliest-word.ts";
import type { SearchAnswer, SearchRequest } from "../../src/schemas/index.ts";
import type { RequestState } from "../api/use-answer.ts";
import { Notices } from "../shell/states.tsx";
import { millisecondsText } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";
import type { CountedAnswer } from "./search-request.ts";
import { type CountedNoun, sentenceOf } from "./status-text.ts";

interface StatusProps {
  readonly search: RequestState<unknown, CountedAnswer>;
  /** The current request, if there is one. */
  readonly request: SearchRequest | undefined;
  /** What is counted. */
  readonly noun: CountedNoun;
}

/** Milliseconds without a change before screen readers hear the result, so that they do not hear one for every key. */
const REST_MS = 700;

export function Status({ search: { answer, isBusy, error }, request, noun }: StatusProps) {
  const sentence = !request ? "" : answer ? sentenceOf(answer, request, noun) : isBusy ? "Searching …" : "";
  const spoken = useRested(isBusy ? "" : sentence);
  return (
    <div class="status">
      <p aria-hidden="true">
        {sentence}
        {request && answer && <span class="quiet"> · {millisecondsText(answer.totalMs)}</span>}
      </p>
      <p class="for-ears" role="status">
        {error ? "" : spoken}
      </p>
      {request && <Notices notices={answer?.notices} />}
      {request && answer && <Unanswered answer={answer} query={queryText(request)} />}
    </div>
  );
}

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
    .map(({ term }) => ({ term, word: likeliestWord(query, term) }))
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
