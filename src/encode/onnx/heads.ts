// The output of a model's last layer for each token → the encoding of the text (specification.md, 3). Arrays are of one text,
// row-major: positions × width. `mask` is 1 for a real token and 0 for padding.

/** The mean of the real tokens' states. */
export function meanPool(hidden: Float32Array, mask: ArrayLike<number>, width: number): Float32Array {
  const sum = new Float64Array(width);
  let tokens = 0;
  for (let at = 0; at < mask.length; at++) {
    if (mask[at] === 0) continue;
    tokens++;
    for (let i = 0; i < width; i++) sum[i] += hidden[at * width + i];
  }
  return Float32Array.from(sum, (x) => x / Math.max(1, tokens));
}

/** The state of the first token, [CLS]. */
export function firstState(hidden: Float32Array, width: number): Float32Array {
  return hidden.slice(0, width);
}

/** The vector scaled to length 1; a zero vector stays as it is. */
export function normalizeVector(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return length > 0 ? vector.map((x) => x / length) : vector;
}

/** SPLADE: for every term, log(1 + relu(logit)), the maximum over the tokens; in version 1 the sum. */
export function computeSplade(
  logits: Float32Array,
  mask: ArrayLike<number>,
  vocabularySize: number,
  aggregation: "max" | "sum" = "max",
  /** 1 leaves [CLS] out. */
  firstPosition = 0,
): Float32Array {
  const weights = new Float32Array(vocabularySize);
  for (let at = firstPosition; at < mask.length; at++) {
    if (mask[at] === 0) continue;
    for (let v = 0; v < vocabularySize; v++) {
      const logit = logits[at * vocabularySize + v];
      if (logit <= 0) continue;
      const weight = Math.log1p(logit);
      weights[v] = aggregation === "sum" ? weights[v] + weight : Math.max(weights[v], weight);
    }
  }
  return weights;
}

/**
 * DeLADE: for every term, the softmax over the vocabulary times the token's weight, the maximum over the tokens without the
 * first. In the reference padding contributes 0, so a result is at least 0 only if the text is padded. Here it always is at
 * least 0, unless `isExact` asks for the reference's numbers.
 */
export function computeDelade(
  logits: Float32Array,
  tokenWeights: ArrayLike<number>,
  mask: ArrayLike<number>,
  vocabularySize: number,
  isExact = false,
): Float32Array {
  const weights = new Float32Array(vocabularySize).fill(isExact ? Number.NEGATIVE_INFINITY : 0);
  for (let at = 1; at < mask.length; at++) {
    if (mask[at] === 0) {
      for (let v = 0; v < vocabularySize; v++) weights[v] = Math.max(weights[v], 0);
      continue;
    }
    const row = logits.subarray(at * vocabularySize, (at + 1) * vocabularySize);
    const largest = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    let total = 0;
    for (let v = 0; v < vocabularySize; v++) total += Math.exp(row[v] - largest);
    const scale = tokenWeights[at] / total;
    if (!isExact && scale <= 0) continue;
    for (let v = 0; v < vocabularySize; v++)
      weights[v] = Math.max(weights[v], Math.exp(row[v] - largest) * scale);
  }
  return weights;
}

/**
 * uniCOIL: the weight of every token of the text except [CLS], by vocabulary id. A token that occurs twice gets its largest
 * weight in a passage, and the sum in a query (specification.md, 1.6). Weights that are not above 0 are dropped.
 */
export function computeTokenWeights(
  ids: ArrayLike<number>,
  weights: ArrayLike<number>,
  mask: ArrayLike<number>,
  role: "query" | "passage",
): Map<number, number> {
  const bag = new Map<number, number>();
  for (let at = 1; at < mask.length; at++) {
    if (mask[at] === 0 || weights[at] <= 0) continue;
    const held = bag.get(ids[at]) ?? 0;
    bag.set(ids[at], role === "query" ? held + weights[at] : Math.max(held, weights[at]));
  }
  return bag;
}
