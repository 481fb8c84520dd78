// Writes an explanation as one HTML page: what happened to each query term, and what each adds to the score.

import type { QueryTerm } from "../query/ask/query.ts";
import type { Explanation, MatchedTerm } from "../rank/explain.ts";
import { escaped } from "./escape.ts";
import { bdi, headRow, page, scrollingTable } from "./page.ts";

export interface ExplanationOptions {
  /** Strikes out the terms that the first stage of a search pruned at θ leaves out. */
  readonly theta?: number | undefined;
}

export function explanationHtml(
  explanation: Explanation,
  query: string,
  { theta }: ExplanationOptions = {},
): string {
  const { id, score } = explanation;
  const parts = [
    `<header>
<p class="eyebrow">why ${bdi(id)} scores what it scores</p>
<h1 dir="auto">${escaped(query)}</h1>
<p class="score">Score <strong>${figure(score)}</strong></p>
</header>`,
    termsHtml(explanation, theta),
    `<section>\n${matchedHtml(explanation)}\n</section>`,
    idleHtml(explanation),
    documentHtml(explanation),
  ];
  return page(`${query}: why ${id} scores ${figure(score)}`, parts.filter((part) => part !== "").join("\n"));
}

function termsHtml(explanation: Explanation, theta: number | undefined): string {
  const { terms, matched, missed } = explanation;
  // θ is compared with the weight in the query's row, which has fewer bits than the term's own weight.
  const rowWeights = new Map([...matched, ...missed].map(({ term, queryWeight }) => [term, queryWeight]));
  const weightOf = ({ term, weight }: QueryTerm) => rowWeights.get(term) ?? weight;
  // θ = 0 keeps everything.
  const isPruned = (term: QueryTerm) =>
    term.fate === "kept" && theta !== undefined && theta > 0 && weightOf(term) <= theta;
  const chips = terms.map((queryTerm) => {
    const { term, fate } = queryTerm;
    const weight = figure(weightOf(queryTerm));
    const isLeftOut = isPruned(queryTerm);
    const name = isLeftOut ? `<s>${bdi(term)}</s>` : bdi(term);
    const origin = queryTerm.expanded ? "added by the encoder, " : "";
    const remark = isLeftOut ? `${weight}, not above θ` : fate === "kept" ? weight : fate;
    return `<li class="${fate === "kept" && !isLeftOut ? "kept" : "idle"}">${name} <small>${origin}${remark}</small></li>`;
  });
  const note = terms.some(isPruned)
    ? `\n<p class="soft after">A search pruned at θ = ${theta} finds its candidates without the struck-out terms; the exact score counts them.</p>`
    : "";
  const list = chips.length > 0 ? `<ul class="chips">\n${chips.join("\n")}\n</ul>` : "<p>No terms.</p>";
  return `<section>\n<h2>The query’s terms</h2>\n${list}${note}\n</section>`;
}

function matchedHtml({ matched, score, semantic, lambda, boosts = [] }: Explanation): string {
  const most = Math.max(
    ...[...matched, ...boosts].map(({ contribution }) => Math.abs(contribution)),
    Math.abs(semantic),
  );
  const row = (name: string, left: string, value: number) =>
    `<tr><th scope="row">${name}</th>${left}<td>${figure(value)}</td><td>${bar(value, most)}</td></tr>`;
  const rows = [
    ...matched.map(({ term, slice, index, queryWeight, documentWeight, contribution, ...learned }) =>
      row(
        `${bdi(term)} <small>cell ${slice}:${index}${factorsText(learned)}${fieldsText(learned)}</small>`,
        `<td>${figure(queryWeight)}</td><td>× ${figure(documentWeight)}</td>`,
        contribution,
      ),
    ),
    ...(lambda > 0 && semantic !== 0
      ? [row("semantic", `<td colspan="2">λ = ${lambda}</td>`, semantic)]
      : []),
    ...boosts.map(({ field, value, contribution }) =>
      row(
        `${bdi(field)} <small>boost</small>`,
        `<td colspan="2">${value === undefined ? "no value" : `by ${value}`}</td>`,
        contribution,
      ),
    ),
    `<tr class="sum"><th scope="row">sum</th><td colspan="2"></td><td>${figure(score)}</td><td></td></tr>`,
  ];
  const head = headRow(["term", "query", "× document", "= adds", ""]);
  return scrollingTable(
    "What the score is made of",
    `${head}\n<tbody>\n${rows.join("\n")}\n</tbody>`,
    "bars",
  );
}

/** What BM25 alone would add, and the factors of the query and the document, if there are factors. */
function factorsText({
  bm25,
  queryFactor = 1,
  documentFactor = 1,
}: Pick<MatchedTerm, "bm25" | "queryFactor" | "documentFactor">): string {
  if (bm25 === undefined) return "";
  return `, BM25 ${figure(bm25)} × ${figure(queryFactor)} × ${figure(documentFactor)}`;
}

/** How often each text field has the term, and what that adds. */
function fieldsText({ fields = [] }: Pick<MatchedTerm, "fields">): string {
  return fields
    .map(
      ({ field, count, weight, value }) => `, ${bdi(field)} ${count} × ${figure(weight)} = ${figure(value)}`,
    )
    .join("");
}

function bar(value: number, most: number): string {
  if (value === 0) return "";
  const width = ((100 * Math.abs(value)) / most).toFixed(1);
  return `<span class="bar${value < 0 ? " minus" : ""}" style="width:${width}%"></span>`;
}

/** Lists the terms that add nothing to the score, with the reason. */
function idleHtml({ missed, lost, terms }: Explanation): string {
  const row = (term: string, weight: string, reason: string) =>
    `<tr><th scope="row">${bdi(term)}</th><td>${weight}</td><td>${reason}</td></tr>`;
  const rows = [
    ...missed.map(({ term, queryWeight, slotHolds }) =>
      row(
        term,
        figure(queryWeight),
        lost.includes(term)
          ? `in the document, but “${bdi(slotHolds ?? "")}” has the slot of its slice`
          : "not in the document",
      ),
    ),
    ...terms
      .filter(({ fate }) => fate !== "kept")
      .map((queryTerm) =>
        row(
          queryTerm.term,
          queryTerm.fate === "unknown" ? "" : figure(queryTerm.weight),
          reasonOf(queryTerm),
        ),
      ),
  ];
  if (rows.length === 0) return "";
  const inner = `${headRow(["term", "weight", "reason"])}\n<tbody>\n${rows.join("\n")}\n</tbody>`;
  return `<section>\n${scrollingTable("What adds nothing", inner, "words")}\n</section>`;
}

function reasonOf({ fate, by }: QueryTerm): string {
  switch (fate) {
    case "unknown":
      return "in no document";
    case "outweighed":
      return `lost its slice in the query to “${bdi(by ?? "")}”`;
    case "discarded":
      return "discarded: the slicing has no cell for it";
    case "weightless":
      return "its weight is 0";
    case "kept":
      return "";
  }
}

function documentHtml({ id, document }: Explanation): string {
  const { title, text } = document;
  const heading = typeof title === "string" && title.trim() !== "" ? title : id;
  const body =
    typeof text === "string" && text.trim() !== ""
      ? `<p class="text" dir="auto">${escaped(text)}</p>`
      : `<p class="soft">No text.</p>`;
  return `<section>
<p class="eyebrow">document ${bdi(id)}</p>
<h2 dir="auto">${escaped(heading)}</h2>
${body}
</section>`;
}

function figure(value: number): string {
  return value.toFixed(4).replace("-", "−");
}
