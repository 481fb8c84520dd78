// What the user may want to type, below the box: completions as links, and corrections. Where the search corrected words itself,
// it says so, and offers them as they were typed. Links need no code for keyboards and phones.

import type { SearchAnswer, SuggestAnswer } from "../../src/schemas/index.ts";
import { asking } from "../address/address.ts";
import { suggest } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../shell/link.tsx";
import { counted } from "../text/numbers.ts";
import { visible } from "../text/visible.ts";
import { type CorrectedWord, correctedWords } from "./corrected.ts";

/** The most suggestions. More do not fit beside each other on a phone. */
const MOST = 4;

/** Of a longer completion only the last word is shown: nothing else changes. */
const LONG_COMPLETION = 2;
/** Characters of a correction, or of what was corrected. Of a longer one only the changed words are shown. */
const LONG_CORRECTION = 80;

/** Characters of a suggestion that may be cut on the page. Its title has all. */
const LONG_CHIP = 30;

interface SuggestionsProps {
  readonly index: string;
  /** What is in the box. */
  readonly text: string;
  /** The answer to it; undefined while there is none. */
  readonly found: SearchAnswer | undefined;
}

const ask = ({ index, text }: Pick<SuggestionsProps, "index" | "text">, signal: AbortSignal) =>
  suggest(index, { text, k: MOST, syntax: true }, signal);

export function Suggestions({ index, text, found }: SuggestionsProps) {
  const { answer, request } = useAnswer(text.trim() === "" ? undefined : { index, text }, ask);
  // Suggestions for an older text would replace what was typed since.
  const suggestions = answer && request?.text === text ? answer.suggestions : undefined;
  if (!suggestions) return null;
  const corrections = suggestions.filter(({ kind }) => kind === "correction");
  const corrected = found ? correctedWords(found) : [];
  if (corrected.length > 0) return <Corrected text={text} words={corrected} corrections={corrections} />;
  // The search may be about to correct the words itself.
  if (suggestions.length === 0 || (corrections.length > 0 && !found)) return null;
  return (
    <p class="suggestions">
      <span class="quiet">{corrections.length > 0 ? "Did you mean" : "Go on with"}</span>
      {suggestions.map((suggestion) => (
        <Suggested key={suggestion.text} suggestion={suggestion} />
      ))}
    </p>
  );
}

interface CorrectedProps {
  readonly text: string;
  readonly words: readonly CorrectedWord[];
  readonly corrections: readonly Suggestion[];
}

/** What the search looked for instead, and a way back. The index knows stems: words of suggestions are better to read. */
function Corrected({ text, words, corrections }: CorrectedProps) {
  const typed = [...new Set(words.map(({ from }) => from))];
  return (
    <p class="suggestions">
      <span class="quiet">Showing results for</span>
      {corrections.map((suggestion) => (
        <Suggested key={suggestion.text} suggestion={suggestion} />
      ))}
      {corrections.length === 0 && <bdi>{visible(words.map(({ to }) => to).join(", "))}</bdi>}
      <span class="instead">
        <span class="quiet">Search instead for</span>{" "}
        <Link change={{ ...asking(text), typos: false }} onFollow={focusBox}>
          <bdi>{visible(text.length > LONG_CORRECTION ? typed.join(", ") : text)}</bdi>
        </Link>
      </span>
    </p>
  );
}

type Suggestion = SuggestAnswer["suggestions"][number];

/** The link that was followed goes away, and the focus would be lost with it. */
const focusBox = () => document.getElementById("query")?.focus();

function Suggested({ suggestion }: { readonly suggestion: Suggestion }) {
  const { text, to, kind, docs } = suggestion;
  const isLong =
    kind === "correction" ? text.length > LONG_CORRECTION : text.trim().split(/\s+/).length > LONG_COMPLETION;
  const shown = isLong ? `… ${visible(to)}` : visible(text);
  return (
    <>
      {" "}
      <Link change={asking(text)} onFollow={focusBox} {...(shown.length > LONG_CHIP && { title: shown })}>
        <bdi>{shown}</bdi>
        <span class="for-ears">, {counted(docs, "document")}</span>
      </Link>
    </>
  );
}
