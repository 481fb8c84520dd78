// The outputs of a graph for a text → the encoding of the text: weights or factors of terms, a vector, or both (heads.ts
// and anchored.ts have the arithmetic).

import { SluiceError } from "../../support/errors/sluice-error.ts";
import { computeTermFactors, type WordsInPieces } from "../contract/anchored.ts";
import type { EncoderDescription, Role } from "../contract/description.ts";
import type { Encoding } from "../contract/encoding.ts";
import {
  computeDelade,
  computeSplade,
  computeTokenWeights,
  firstState,
  meanPool,
  normalizeVector,
} from "./heads.ts";

/** A weight must be above this to be more than 0 in float16. */
const VANISHING = 2 ** -25;

/** A text as the graph gets it. */
export interface TokenizedText {
  readonly ids: readonly number[];
  /** Whether it has words, and the model knows none of them. */
  readonly isUnknown: boolean;
  /** For an anchored encoder: the words of the text among its pieces, and the position of the first piece. */
  readonly words?: WordsInPieces;
  readonly firstPiece?: number;
}

/** A text as the graph got it, and what the graph put out for it. */
interface GraphText extends TokenizedText {
  /** 1 for each token of the text, 0 for padding. */
  readonly mask: number[];
  readonly role: Role;
  /** The numbers of an output. */
  readonly output: (name: string) => Float32Array;
}

/** The names of the outputs that an encoder of this description needs. */
export function listOutputs(description: EncoderDescription): string[] {
  const names = outputNames(description);
  if (description.kind === "dense") return [description.pooled ? names.semantic : names.hidden];
  if (description.kind === "anchored") {
    const exponents = [names.passageExponents, names.queryExponents];
    return description.semantic ? [...exponents, names.semantic] : exponents;
  }
  const perToken = {
    splade: [names.logits],
    unicoil: [names.tokenWeights],
    delade: [names.logits, names.tokenWeights],
  }[description.kind];
  return [
    ...(description.pooled ? [names.lexical] : perToken),
    ...(description.semantic ? [names.semantic] : []),
  ];
}

function outputNames({ outputs }: EncoderDescription) {
  return {
    lexical: "lexical",
    hidden: "last_hidden_state",
    logits: "logits",
    tokenWeights: "token_weights",
    semantic: "semantic",
    passageExponents: "passage_exponents",
    queryExponents: "query_exponents",
    ...outputs,
  };
}

/** The encoding of one text. `terms` is the vocabulary; `where` names the encoder in an error. */
export function readEncoding(
  description: EncoderDescription,
  terms: readonly string[],
  text: GraphText,
  where: string,
): Encoding {
  const encoding = decodeOutputs(description, terms, text);
  checkNumbers(encoding, where);
  // The graph would give all such texts about the same vector, as if they meant the same.
  return text.isUnknown && encoding.vector
    ? { ...encoding, vector: new Float32Array(encoding.vector.length) }
    : encoding;
}

/** Turns the graph's outputs for a text into its encoding. */
function decodeOutputs(description: EncoderDescription, terms: readonly string[], text: GraphText): Encoding {
  const { mask, output } = text;
  const names = outputNames(description);
  if (description.kind === "dense" && !description.pooled) {
    const hidden = output(names.hidden);
    const width = hidden.length / mask.length;
    const pooled = description.pooling === "mean" ? meanPool(hidden, mask, width) : firstState(hidden, width);
    return { vector: description.normalize ? normalizeVector(pooled) : pooled };
  }
  if (description.kind === "dense") return { vector: output(names.semantic).slice() };
  if (description.kind === "anchored") {
    const termFactors = readTermFactors(description, text);
    return description.semantic ? { termFactors, vector: output(names.semantic).slice() } : { termFactors };
  }
  const weights = readWeights(description, terms, text);
  return description.semantic ? { weights, vector: output(names.semantic).slice() } : { weights };
}

/** Throws if a number is NaN or infinite: scores would be, too. */
function checkNumbers({ termFactors, weights, vector }: Encoding, where: string): void {
  const refuse = (what: string, x: number) => {
    throw new SluiceError(
      `${where}: ${what} is ${x}`,
      "the encoder is damaged, or was trained with too high a rate",
      "ERR_SLUICE_DAMAGED",
    );
  };
  for (const [term, x] of termFactors ?? [])
    if (!Number.isFinite(x)) refuse(`the factor of ${JSON.stringify(term)}`, x);
  for (const [term, x] of weights ?? [])
    if (!Number.isFinite(x)) refuse(`the weight of ${JSON.stringify(term)}`, x);
  for (const [i, x] of vector?.entries() ?? [])
    if (!Number.isFinite(x)) refuse(`the number ${i} of a vector`, x);
}

function readTermFactors(
  description: EncoderDescription,
  { words, firstPiece, role, output }: GraphText,
): Map<string, number> {
  const names = outputNames(description);
  const exponents = output(role === "query" ? names.queryExponents : names.passageExponents);
  return computeTermFactors(words!, exponents.subarray(firstPiece));
}

function readWeights(
  description: Exclude<EncoderDescription, { kind: "dense" | "anchored" }>,
  terms: readonly string[],
  { ids, mask, role, output }: GraphText,
): Map<string, number> {
  const names = outputNames(description);
  if (description.kind === "unicoil") {
    const padded = Array.from(mask, (_, at) => ids[at] ?? 0);
    const bag = computeTokenWeights(padded, output(names.tokenWeights), mask, role);
    const { least = 0 } = description;
    const kept = Array.from(bag).filter(([, weight]) => !(weight <= least));
    return new Map(kept.map(([id, weight]) => [terms[id], weight]));
  }
  if (description.pooled) return toBag(output(names.lexical), terms, description.least);
  const logits = output(names.logits);
  const vocabularySize = logits.length / mask.length;
  const weights =
    description.kind === "splade"
      ? computeSplade(logits, mask, vocabularySize, description.aggregation, description.withoutCls ? 1 : 0)
      : computeDelade(logits, output(names.tokenWeights), mask, vocabularySize);
  return toBag(weights, terms, description.least);
}

function toBag(weights: Float32Array, terms: readonly string[], least = VANISHING): Map<string, number> {
  const bag = new Map<string, number>();
  weights.forEach((weight, id) => {
    if (!(weight <= least) && terms[id] !== undefined) bag.set(terms[id], weight);
  });
  return bag;
}
