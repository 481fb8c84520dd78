// Builds the heads as graphs: the states of the last layer come in; weights over the vocabulary, a vector, or a vector for
// each token go out.

import type { Role } from "../../../encode/contract/description.ts";
import { first, reshape, rowsOf, sliceFrom } from "../graph/arrange.ts";
import { add, div, gelu, log, mul, relu, sub } from "../graph/elementwise.ts";
import type { Tensor } from "../graph/graph.ts";
import { linear } from "../graph/matmul.ts";
import { logSumExp, unit } from "../graph/normalize.ts";
import { pooledProbabilities, pooledTokens } from "../graph/pooling.ts";
import { max, sum } from "../graph/reduce.ts";
import { encoderStates, linearLayer, norm, type ParameterOf, type Texts } from "./bert.ts";
import { WORD_EMBEDDINGS } from "./parameters.ts";
import type { LexicalHead, ModelSettings, SemanticHead } from "./settings.ts";

/** Representations of texts: one tensor for each part of the model's head. */
export interface RepresentationTensors {
  /** [rows, vocabulary] */
  readonly lexical?: Tensor;
  /** [rows, width] */
  readonly semantic?: Tensor;
  /** [rows, tokens, width] */
  readonly tokens?: Tensor;
  /** [rows, tokens, 1] */
  readonly exponents?: Tensor;
}

/** Subtracted from the logits of a padded token, so that it is never the largest. */
const NO_LOGIT = 1e9;
/** States are scaled to this length before they go into an anchored head: those of different models differ in size. */
const ANCHORED_LENGTH = 10;
/** ColBERT's query vectors are scaled as if a query had this many tokens, so scores of short and long queries compare. */
const COLBERT_TOKENS = 32;

export function represent(
  texts: Texts,
  parameters: ParameterOf,
  model: ModelSettings,
  role: Role,
): RepresentationTensors {
  const { head } = model;
  const states = encoderStates(texts, parameters, model.encoder);
  if (head.kind === "colbert") return { tokens: colbert(states, texts.mask, parameters, role) };
  if (head.lexical?.kind === "anchored") {
    return {
      exponents: exponents(states, parameters, role),
      ...(head.semantic && { semantic: semantic(states, texts.mask, parameters, head.semantic) }),
    };
  }
  return {
    ...(head.lexical && { lexical: lexical(states, texts, parameters, head.lexical, role) }),
    ...(head.semantic && { semantic: semantic(states, texts.mask, parameters, head.semantic) }),
  };
}

function lexical(
  states: Tensor,
  texts: Texts,
  parameters: ParameterOf,
  head: Exclude<LexicalHead, { kind: "anchored" }>,
  role: Role,
): Tensor {
  const [rows] = states.shape;
  const [vocabularySize] = parameters(WORD_EMBEDDINGS).shape;
  // Leave out [CLS]: it stands for the whole text, not for a token.
  const tokens = sliceFrom(states, 1, 1);
  const mask = sliceFrom(texts.mask, 1, 1);
  if (head.kind === "delade") {
    const pooled = pooledProbabilities(logits(tokens, parameters), tokenWeights(tokens, mask, parameters));
    return reshape(pooled, [rows, vocabularySize]);
  }
  if (head.kind === "splade") {
    const [from, real] = head.withoutCls ? [tokens, mask] : [states, texts.mask];
    return splade(logits(from, parameters), real);
  }
  const ids = sliceFrom(texts.ids, 1, 1);
  const weights = reshape(relu(tokenWeights(tokens, mask, parameters)), ids.shape);
  return pooledTokens(ids, weights, vocabularySize as number, role === "query" ? "add" : "max");
}

/** The maximum over the tokens of log(1 + relu(z)). The function grows with z, so the maximum of z is taken first. */
export function splade(logits: Tensor, mask: Tensor): Tensor {
  const [rows, tokens, vocabularySize] = logits.shape;
  const masked = add(logits, reshape(mul(sub(mask, 1), NO_LOGIT), [rows, tokens, 1]));
  return reshape(log(add(relu(max(masked, [1])), 1)), [rows, vocabularySize]);
}

/** A masked-LM head: [rows, tokens, vocabulary]. Its output matrix is the matrix of word embeddings. */
function logits(states: Tensor, parameters: ParameterOf): Tensor {
  return linear(transformed(states, parameters), parameters(WORD_EMBEDDINGS), parameters("lexical.bias"));
}

function transformed(states: Tensor, parameters: ParameterOf): Tensor {
  const inner = gelu(linearLayer(states, parameters, "lexical.transform.dense"));
  return norm(inner, parameters, "lexical.transform.norm");
}

/** −log of the probability that a masked-LM head gives to the right token of each state: [tokens, 1] from [tokens, width]. */
export function tokenLosses(states: Tensor, words: Tensor, parameters: ParameterOf): Tensor {
  const table = parameters(WORD_EMBEDDINGS);
  const bias = parameters("lexical.bias");
  const guesses = transformed(states, parameters);
  const all = logSumExp(linear(guesses, table, bias));
  const right = sum(mul(guesses, rowsOf(table, words)), [1]);
  return sub(all, add(right, rowsOf(reshape(bias, [...bias.shape, 1]), words)));
}

/** The weights of tokens: [rows, tokens, 1]; 0 for padding. */
export function tokenWeights(states: Tensor, mask: Tensor, parameters: ParameterOf): Tensor {
  const [rows, tokens] = states.shape;
  return mul(linearLayer(states, parameters, "lexical.weight"), reshape(mask, [rows, tokens, 1]));
}

/** The exponents of pieces: [rows, tokens, 1]. Those of padding mean nothing. `head` begins the names of its parameters. */
export function exponents(states: Tensor, parameters: ParameterOf, role: Role, head = "anchored"): Tensor {
  const scaled = mul(unit(states), ANCHORED_LENGTH);
  const inner = gelu(linearLayer(scaled, parameters, `${head}.mix.0`));
  const mixed = add(scaled, linearLayer(inner, parameters, `${head}.mix.2`));
  return linearLayer(mixed, parameters, `${head}.${role}`);
}

export function semantic(states: Tensor, mask: Tensor, parameters: ParameterOf, head: SemanticHead): Tensor {
  const [rows, tokens, width] = states.shape;
  const pooled =
    head.pooling === "cls"
      ? first(states, 1, 1)
      : div(sum(mul(states, reshape(mask, [rows, tokens, 1])), [1]), reshape(sum(mask, [1]), [rows, 1, 1]));
  let vector = reshape(pooled, [rows, width]);
  if (head.width !== undefined) vector = linearLayer(vector, parameters, "semantic.projection");
  if (head.normalize) vector = unit(vector);
  return head.scale ? mul(vector, parameters("semantic.scale")) : vector;
}

function colbert(states: Tensor, mask: Tensor, parameters: ParameterOf, role: Role): Tensor {
  const [rows, tokens] = states.shape;
  const real = reshape(mask, [rows, tokens, 1]);
  const projected = mul(linearLayer(states, parameters, "colbert.projection"), real);
  if (role === "passage") return projected;
  const lengths = reshape(sum(mask, [1]), [rows, 1, 1]);
  return mul(div(projected, lengths), COLBERT_TOKENS);
}
