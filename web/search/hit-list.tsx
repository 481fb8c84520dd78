// The hits, best first. The heading of a hit opens its document, and "Why this result" its explanation.

import type { HitAnswer } from "../../src/schemas/index.ts";
import { SnippetLine } from "../markdown/snippet-line.tsx";
import { Link } from "../shell/link.tsx";
import { Facts } from "../text/facts.tsx";
import { type Fields, headingOf } from "../text/heading.ts";
import { Marked } from "../text/marked.tsx";
import { shortened } from "../text/shortened.ts";
import { ScoreBar } from "./score-bar.tsx";

export function HitList({ hits }: { readonly hits: readonly HitAnswer[] }) {
  const most = Math.max(...hits.map(({ score }) => score), 0);
  return (
    <ol class="hits">
      {hits.map((hit) => (
        <Hit key={hit.id} hit={hit} most={most} />
      ))}
    </ol>
  );
}

function Hit({ hit, most }: { readonly hit: HitAnswer; readonly most: number }) {
  const { id, snippets = [] } = hit;
  const document: Fields = hit.document;
  const hasTitle = typeof document.title === "string" && document.title.trim() !== "";
  const titleSnippet = snippets.find(({ field }) => field === "title");
  const textSnippets = snippets.filter(({ field }) => field !== "title");
  const textSnippet = textSnippets.find(({ field }) => field === "text") ?? textSnippets[0];
  return (
    <li>
      <h2 dir="auto">
        <Link change={{ document: id }} data-hit={id}>
          <Marked
            text={shortened(headingOf(id, document))}
            ranges={hasTitle ? titleSnippet?.marks : undefined}
          />
        </Link>
      </h2>
      {textSnippet && (
        <p class="text" dir="auto">
          <SnippetLine snippet={textSnippet} whole={document[textSnippet.field]} />
        </p>
      )}
      <div class="foot">
        <ScoreBar hit={hit} most={most} />
        <Link class="why" change={{ explain: id }}>
          Why this result
        </Link>
        <Facts document={document} />
      </div>
    </li>
  );
}
