// Documents like the one that is open, by its words and its vector.

import type { SearchRequest } from "../../src/schemas/index.ts";
import { search } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { SnippetLine } from "../markdown/snippet-line.tsx";
import { Link } from "../shell/link.tsx";
import { type Fields, headingOf } from "../text/heading.ts";
import { shortened } from "../text/shortened.ts";
import { visible } from "../text/visible.ts";
import { wholeOf } from "./whole.ts";

const MOST = 4;
/** Characters of the text of each. */
const LENGTH = 100;

interface SimilarProps {
  readonly index: string;
  readonly id: string;
  readonly document: Fields;
}

/** Each other document once. The search leaves out passages of the same document. */
function requestOf({ id, document }: SimilarProps): SearchRequest {
  const whole = wholeOf(document);
  const others = whole && { groupBy: "passage.of" };
  return { query: { like: id }, k: MOST, snippets: { length: LENGTH }, ...others };
}

const ask = (props: SimilarProps, signal: AbortSignal) => search(props.index, requestOf(props), signal);

export function Similar(props: SimilarProps) {
  const { answer } = useAnswer(props, ask);
  if (!answer || answer.hits.length === 0) return null;
  return (
    <section class="similar" aria-labelledby="similar">
      <h3 id="similar">More like this</h3>
      <ul>
        {answer.hits.map(({ id, document, snippets = [] }) => (
          <li key={id}>
            <p class="similar-title" dir="auto">
              <Link change={{ document: id }} replaces>
                {visible(shortened(headingOf(id, document)))}
              </Link>
            </p>
            {snippets
              .filter(({ field }) => field === "text")
              .map((snippet) => (
                <p key={snippet.field} class="quiet" dir="auto">
                  <SnippetLine snippet={{ ...snippet, marks: [] }} whole={document.text} />
                </p>
              ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
