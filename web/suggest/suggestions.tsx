// What the user may want to type, below the box: completions as links, and "did you mean" for corrections. Links need no code for
// keyboards and phones.

import type { SuggestAnswer } from "../../src/schemas/index.ts";
import { CLOSED, FIRST_HITS } from "../address/address.ts";
import { suggest } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../shell/link.tsx";
import { counted } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";

/** The most suggestions. More do not fit beside each other on a phone. */
const MOST = 4;

/** Of a longer completion only the last word is shown: nothing else changes. */
const LONG_COMPLETION = 2;
/** Characters of a correction. Of a longer one only the last changed word is shown. */
const LONG_CORRECTION = 80;

interface SuggestionsProps {
  readonly index: string;
  /** What is in the box. */
  readonly text: string;
}

const ask = ({ index, text }: SuggestionsProps, signal: AbortSignal) =>
  suggest(index, { text, k: MOST }, signal);

export function Suggestions({ index, text }: SuggestionsProps) {
  const { answer, request } = useAnswer(text.trim() === "" ? undefined : { index, text }, ask);
  // Suggestions for an older text would replace what was typed since.
  if (!answer || request?.text !== text || answer.suggestions.length === 0) return null;
  const isCorrection = answer.suggestions.some(({ kind }) => kind === "correction");
  return (
    <p class="suggestions">
      <span class="quiet">{isCorrection ? "Did you mean" : "Go on with"}</span>
      {answer.suggestions.map((suggestion) => (
        <Suggested key={suggestion.text} suggestion={suggestion} />
      ))}
    </p>
  );
}

/** The link that was followed goes away, and the focus would be lost with it. */
const focusBox = () => document.getElementById("query")?.focus();

function Suggested({ suggestion }: { readonly suggestion: SuggestAnswer["suggestions"][number] }) {
  const { text, to, kind, docs } = suggestion;
  const isLong =
    kind === "correction" ? text.length > LONG_CORRECTION : text.trim().split(/\s+/).length > LONG_COMPLETION;
  return (
    <>
      {" "}
      <Link change={{ ...CLOSED, query: text, k: FIRST_HITS }} onFollow={focusBox}>
        <bdi>{isLong ? `… ${visible(to)}` : visible(text)}</bdi>
        <span class="for-ears">, {counted(docs, "document")}</span>
      </Link>
    </>
  );
}
