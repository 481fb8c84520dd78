// Options that contradict the index they open are refused. λ is not one of them: a new index begins with it, and an existing
// index keeps its own.

import { WordPiece } from "../../analyze/analyzers/wordpiece.ts";
import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import { Vocabulary } from "../../densify/vocabulary.ts";
import { type TextField, toTextFields } from "../../documents/text-fields.ts";
import { toCodeShape } from "../../segment/codes/code-shape.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import { createAnalyzerRecord } from "../../store/record/analyzer-record.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { textFieldsIn, type Weighting } from "../../weigh/weighting.ts";
import { givenTerms, type RowOptions } from "./row-rules.ts";

/** The name of an analyzer and what was chosen about it. */
function describeAnalyzer(analyzer: Analyzer): string {
  const { name, options, isCustom } = createAnalyzerRecord(analyzer);
  if (isCustom) return `${name}, an analyzer of your own`;
  return !options || analyzer instanceof WordPiece ? name : `${name} ${JSON.stringify(options)}`;
}

/** Text fields in one order, so that equal ones are equal texts. */
function describeTextFields(fields: readonly TextField[]): string {
  return JSON.stringify(Object.fromEntries(fields.map(({ name, weight }) => [name, weight] as const).sort()));
}

function fieldsOf(weighting: Weighting): string {
  const fields = textFieldsIn(weighting);
  return fields ? describeTextFields(fields) : "none";
}

/** The shape of product codes with all its parts, so that equal ones are equal texts. */
function describeCodes(quantize: CodeOptions | undefined): string {
  return quantize ? JSON.stringify(toCodeShape(quantize)) : "none";
}

export function requireAgreement(folder: string, snapshot: Snapshot, options: RowOptions): void {
  const { slicingSettings: settings } = snapshot;
  const {
    lexical,
    analyzer,
    dims,
    slicingStrategy,
    seed,
    discard,
    bm25,
    slicingOf,
    positions,
    fieldWeights,
  } = options;
  const differ = (what: string, asked: unknown, found: unknown) => {
    if (asked === undefined || asked === found) return;
    throw new SluiceError(
      `${folder}: opened with ${what} ${String(asked)}, but the index has ${String(found)}`,
      "leave the option out, or build another index",
    );
  };
  differ("dims", dims, settings.strategy === "full" ? "full" : settings.dims);
  differ("slicingStrategy", dims === "full" ? undefined : slicingStrategy, settings.strategy);
  differ("seed", seed, settings.seed);
  differ("discard", discard, settings.discard);
  const terms = givenTerms(options);
  if (terms) differ("the vocabulary", new Vocabulary(terms).fingerprint, settings.vocabularyFingerprint);
  if (slicingOf) differ("the table", slicingOf.settings.table, settings.table);
  if (options.quantize) differ("quantize", describeCodes(options.quantize), describeCodes(snapshot.quantize));
  differ("positions", positions, snapshot.keepsPositions);
  if (fieldWeights)
    differ("fieldWeights", describeTextFields(toTextFields(fieldWeights)), fieldsOf(snapshot.weighting));
  if (lexical === undefined && !analyzer && !bm25) return;
  const { weighting } = snapshot;
  differ("lexical", lexical, weighting.kind);
  differ("the analyzer", analyzer && describeAnalyzer(analyzer), describeAnalyzer(weighting.analyzer));
  if (weighting.kind !== "bm25") return;
  differ("k1", bm25?.k1, weighting.parameters.k1);
  differ("b", bm25?.b, weighting.parameters.b);
}
