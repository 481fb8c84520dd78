// The words of a query by weight, with a line for the threshold. Words below it are struck through.

import type { ExplainQueryAnswer } from "../../src/schemas/index.ts";
import { counted, scoreText } from "../text/numbers.ts";
import { termText } from "../text/term-text.ts";
import { visible } from "../text/visible.ts";
import type { Settings } from "./settings.ts";

/** Words shown. An encoder may add hundreds; the heaviest matter. */
const MAX_WORDS = 24;

const FATES = {
  kept: "",
  outweighed: "shares a slot with a heavier word",
  discarded: "dropped by the slicing",
  unknown: "in no document",
  weightless: "has no weight",
};

interface TermWeightsProps {
  readonly planned: ExplainQueryAnswer;
  readonly settings: Settings;
  readonly heaviest: number;
}

export function TermWeights({ planned, settings, heaviest }: TermWeightsProps) {
  const { terms, lexicalDims, semanticDims } = planned;
  const shown = terms.slice(0, MAX_WORDS);
  const at = settings.knob === "theta" ? Math.min(1, settings.value / heaviest) : undefined;
  return (
    <section class="terms" aria-label="Words of the query">
      <h2>What the first stage sees</h2>
      <p class="quiet" role="status">
        {lexicalDims.selected} of {counted(lexicalDims.of, "word")}
        {semanticDims.of > 0 && `, ${semanticDims.selected} of ${semanticDims.of} dimensions of meaning`}
      </p>
      <ul style={{ "--theta": at ?? 0 }} class={at === undefined ? "" : "with-theta"}>
        {shown.map(({ term, field, weight, fate, selected }) => (
          <li key={termText({ term, field })} class={selected ? "selected" : "fallen"}>
            {selected ? (
              <bdi>{termText({ term, field })}</bdi>
            ) : (
              <UnselectedTerm term={term} why={FATES[fate] || "below the threshold"} />
            )}
            <span class="track" aria-hidden="true">
              <span class="lexical" style={{ width: `${100 * Math.min(1, weight / heaviest)}%` }} />
            </span>
            <span class="number">{scoreText(weight)}</span>
          </li>
        ))}
      </ul>
      {terms.length > shown.length && (
        <p class="quiet">and {counted(terms.length - shown.length, "lighter word")}</p>
      )}
    </section>
  );
}

function UnselectedTerm({ term, why }: { readonly term: string; readonly why: string }) {
  return (
    <span title={why}>
      <s>
        <bdi>{visible(term)}</bdi>
      </s>
      <span class="for-ears"> ({why})</span>
    </span>
  );
}
