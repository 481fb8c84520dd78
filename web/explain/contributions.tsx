// A score as a sum of bars. Each row shows weight in the query × weight in the document = contribution. Each bar starts
// where the one before ended, so the last one ends at the score.

import type { ExplainAnswer } from "../../src/schemas/index.ts";
import { Scrolling } from "../shell/scrolling.tsx";
import { plainText, scoreText } from "../text/numbers.ts";
import { termText } from "../text/term-text.ts";
import { type Step, stepsOf } from "./steps.ts";

export function Contributions({ answer }: { readonly answer: ExplainAnswer }) {
  const { matched, semantic, lambda, score } = answer;
  if (matched.length === 0 && semantic === 0) {
    return <p>The query and the document’s row have no word in common, so the score is 0.</p>;
  }
  const steps = stepsOf([...matched.map(({ contribution }) => contribution), semantic]);
  const last = steps.at(-1)!;
  return (
    <Scrolling label="How the score adds up">
      <table class="sum">
        <caption class="for-ears">
          Matched terms: weight in the query, weight in the document, contribution
        </caption>
        <thead>
          <tr>
            <th scope="col">Term</th>
            <th scope="col" class="number">
              query <span aria-hidden="true">×</span>
            </th>
            <th scope="col" class="number">
              document <span aria-hidden="true">=</span>
            </th>
            <th scope="col" class="number">
              adds
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {matched.map(({ term, field, queryWeight, documentWeight, contribution, ...learned }, i) => (
            <tr key={termText({ term, field })}>
              <th scope="row">
                <bdi class="word">{termText({ term, field })}</bdi>
                <Factors {...learned} />
                <InFields {...learned} />
              </th>
              <td class="number">{scoreText(queryWeight)}</td>
              <td class="number">{scoreText(documentWeight)}</td>
              <td class="number">{scoreText(contribution)}</td>
              <BarCell step={steps[i]} kind="lexical" />
            </tr>
          ))}
          {semantic !== 0 && (
            <tr>
              <th scope="row">meaning</th>
              <td class="number quiet" colSpan={2}>
                λ = {plainText(lambda)}
              </td>
              <td class="number">{scoreText(semantic)}</td>
              <BarCell step={last} kind="semantic" />
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              Score
            </th>
            <td class="number">{scoreText(score)}</td>
            <td />
          </tr>
        </tfoot>
      </table>
    </Scrolling>
  );
}

/** What BM25 alone would add, and what it was multiplied by: for the query, then for the document. */
function Factors({
  bm25,
  queryFactor = 1,
  documentFactor = 1,
}: Pick<ExplainAnswer["matched"][number], "bm25" | "queryFactor" | "documentFactor">) {
  if (bm25 === undefined) return null;
  const factors = `× ${queryFactor.toFixed(2)} × ${documentFactor.toFixed(2)}`;
  return (
    <small class="quiet">
      {" "}
      BM25 {scoreText(bm25)} {factors}
    </small>
  );
}

/** How often each text field has the term, and what that adds. */
function InFields({ fields = [] }: Pick<ExplainAnswer["matched"][number], "fields">) {
  if (fields.length === 0) return null;
  const texts = fields.map(
    ({ field, count, weight, value }) => `${field} ${count} × ${plainText(weight)} = ${scoreText(value)}`,
  );
  return <small class="quiet"> {texts.join(", ")}</small>;
}

function BarCell({ step, kind }: { readonly step: Step; readonly kind: "lexical" | "semantic" }) {
  return (
    <td class="bar-cell" aria-hidden="true">
      <span
        class={`${kind} ${step.falls ? "falls" : ""}`}
        style={{ marginInlineStart: `${100 * step.from}%`, width: `${100 * step.share}%` }}
      />
    </td>
  );
}
