import type { HitAnswer } from "../../src/schemas/index.ts";
import { Link } from "../shell/link.tsx";
import { type Fields, headingOf } from "../text/heading.ts";
import { Marked } from "../text/marked.tsx";
import { type Range, snippet } from "../text/snippet.ts";
import { Facts } from "./facts.tsx";
import { ScoreBar } from "./score-bar.tsx";

/** Characters of a document's text in the list. */
const SNIPPET = 320;

/** The hits, best first. The heading of a hit opens its explanation. */
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
  const { id, highlights } = hit;
  const document: Fields = hit.document;
  const titled = typeof document.title === "string" && document.title.trim() !== "";
  return (
    <li>
      <h2>
        <Link change={{ explain: id }} data-hit={id}>
          <Marked text={headingOf(id, document)} ranges={titled ? highlights?.title : undefined} />
        </Link>
      </h2>
      {typeof document.text === "string" && document.text !== "" && (
        <Snippet text={document.text} ranges={highlights?.text ?? []} />
      )}
      <div class="foot">
        <ScoreBar hit={hit} most={most} />
        <Facts document={document} />
      </div>
    </li>
  );
}

function Snippet({ text, ranges }: { readonly text: string; readonly ranges: readonly Range[] }) {
  const part = snippet(text, ranges, SNIPPET);
  return (
    <p class="text" dir="auto">
      {part.cut.front && "… "}
      <Marked text={part.text} ranges={part.ranges} />
      {part.cut.back && " …"}
    </p>
  );
}
