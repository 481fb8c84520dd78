// A second implementation of BERT, its heads and the loss, written for jax-js from specification.md, 3 and 4. Our graphs are
// compared with it.

import { type Array as JaxArray, nn, numpy as np } from "@jax-js/jax";
import type { Batch, TokenRows, WordRows } from "../../src/lab/train/data/batch.ts";
import type { ModelSettings } from "../../src/lab/train/model/settings.ts";

/** Gives a parameter by its name, a new array each time: jax-js arrays are used up by operations. */
type Take = (name: string) => JaxArray;

const BOTTOM = -1e9;

/** The loss: the mean over queries of −log softmax of the positive's score, with scores times `scale`. */
export function jaxLoss(model: ModelSettings, take: Take, batch: Batch, scale: number): JaxArray {
  const { queries, passages, passagesPerQuery } = batch;
  const scores = jaxScores(model, take, batch).mul(scale);
  const picks = Array.from({ length: queries.rows }, (_, i) =>
    Array.from({ length: passages.rows }, (_, j) => (j === i * passagesPerQuery ? -1 / queries.rows : 0)),
  );
  return np.sum(nn.logSoftmax(scores, -1).mul(np.array(picks)));
}

function jaxScores(model: ModelSettings, take: Take, { queries, passages, words }: Batch): JaxArray {
  const { head } = model;
  if (head.kind === "colbert") return lateInteraction(model, take, queries, passages);
  const parts: JaxArray[] = [];
  if (head.lexical?.kind === "anchored") {
    const side = (texts: TokenRows, role: "query" | "passage") =>
      anchored(model, take, texts, words![role], role, words!.idf.length);
    const query = side(queries, "query").mul(np.array(words!.idf));
    parts.push(np.matmul(query, np.transpose(side(passages, "passage"))));
  } else if (head.lexical) {
    const side = (texts: TokenRows, isQuery: boolean) => lexical(model, take, texts, isQuery);
    parts.push(np.matmul(side(queries, true), np.transpose(side(passages, false))));
  }
  if (head.semantic) {
    const side = (texts: TokenRows) => semantic(model, take, texts);
    parts.push(np.matmul(side(queries), np.transpose(side(passages))));
  }
  return parts.reduce((a, b) => a.add(b));
}

const linear = (x: JaxArray, take: Take, name: string) =>
  np.matmul(x, np.transpose(take(`${name}.weight`))).add(take(`${name}.bias`));

function norm(x: JaxArray, take: Take, name: string): JaxArray {
  const centered = x.ref.sub(np.mean(x, -1, { keepdims: true }));
  const variance = np.mean(np.square(centered.ref), -1, { keepdims: true });
  const standard = centered.div(np.sqrt(variance.add(1e-12)));
  return standard.mul(take(`${name}.weight`)).add(take(`${name}.bias`));
}

const gelu = (x: JaxArray) => nn.gelu(x, { approximate: false });

/** 1 for a real token. */
function maskOf({ rows, width, lengths }: TokenRows): JaxArray {
  return np.array(
    Array.from({ length: rows }, (_, row) =>
      Array.from({ length: width }, (_, at) => (at < lengths[row] ? 1 : 0)),
    ),
  );
}

/** One-hot rows, with a 1 in the column of each id: [rows × width, vocabulary]. */
function oneHot({ ids }: TokenRows, vocabulary: number): JaxArray {
  return np.array(Array.from(ids, (id) => Array.from({ length: vocabulary }, (_, v) => (v === id ? 1 : 0))));
}

function states({ encoder }: ModelSettings, take: Take, texts: TokenRows): JaxArray {
  const { width, heads, layers, vocabulary } = encoder;
  const { rows, width: tokens } = texts;
  const each = width / heads;
  const words = np.matmul(oneHot(texts, vocabulary), take("embeddings.word_embeddings.weight"));
  const places = take("embeddings.position_embeddings.weight").slice([0, tokens]);
  const type = take("embeddings.token_type_embeddings.weight").slice([0, 1]);
  let x = norm(words.reshape([rows, tokens, width]).add(places).add(type), take, "embeddings.LayerNorm");
  const bias = maskOf(texts).sub(1).mul(-BOTTOM).reshape([rows, 1, 1, tokens]);
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}`;
    const part = (name: string) =>
      np.transpose(
        linear(x.ref, take, `${at}.attention.self.${name}`).reshape([rows, tokens, heads, each]),
        [0, 2, 1, 3],
      );
    const [q, k, v] = ["query", "key", "value"].map(part);
    const scores = np
      .matmul(q, np.transpose(k, [0, 1, 3, 2]))
      .div(Math.sqrt(each))
      .add(bias.ref);
    const context = np.transpose(np.matmul(nn.softmax(scores, -1), v), [0, 2, 1, 3]);
    const attended = linear(context.reshape([rows, tokens, width]), take, `${at}.attention.output.dense`);
    x = norm(x.add(attended), take, `${at}.attention.output.LayerNorm`);
    const inner = gelu(linear(x.ref, take, `${at}.intermediate.dense`));
    x = norm(x.add(linear(inner, take, `${at}.output.dense`)), take, `${at}.output.LayerNorm`);
  }
  return x;
}

function logits(x: JaxArray, take: Take): JaxArray {
  const transformed = norm(gelu(linear(x, take, "lexical.transform.dense")), take, "lexical.transform.norm");
  const matrix = np.transpose(take("embeddings.word_embeddings.weight"));
  return np.matmul(transformed, matrix).add(take("lexical.bias"));
}

function lexical(model: ModelSettings, take: Take, texts: TokenRows, isQuery: boolean): JaxArray {
  const { head, encoder } = model;
  if (head.kind !== "joint" || !head.lexical) throw new Error("no lexical part");
  const { rows, width } = texts;
  const from = head.lexical.kind === "splade" && !head.lexical.withoutCls ? 0 : 1;
  const x = states(model, take, texts).slice([], [from, width]);
  const mask = maskOf(texts)
    .slice([], [from, width])
    .reshape([rows, width - from, 1]);
  if (head.lexical.kind === "splade") {
    return np.max(np.log(nn.relu(logits(x, take)).add(1)).mul(mask), 1);
  }
  const weights = linear(x.ref, take, "lexical.weight").mul(mask);
  if (head.lexical.kind === "delade") {
    return nn.relu(np.max(nn.softmax(logits(x, take), -1).mul(weights), 1));
  }
  const cells = oneHot(texts, encoder.vocabulary)
    .reshape([rows, width, encoder.vocabulary])
    .slice([], [from, width])
    .mul(nn.relu(weights));
  return isQuery ? np.sum(cells, 1) : np.max(cells, 1);
}

/** BM25's parts times exp(exponent), summed by term, with one-hot matrices: [rows, terms]. */
function anchored(
  model: ModelSettings,
  take: Take,
  texts: TokenRows,
  { rows, width, at, terms, shares, read, means }: WordRows,
  role: "query" | "passage",
  count: number,
): JaxArray {
  const x = states(model, take, texts);
  const g = x.ref.div(np.sqrt(np.sum(np.square(x), -1, { keepdims: true }))).mul(10);
  const m = g.ref.add(linear(gelu(linear(g, take, "anchored.mix.0")), take, "anchored.mix.2"));
  const exponents = linear(m, take, `anchored.${role}`).reshape([rows, 1, texts.width]);
  const pick = (numbers: Int32Array, of: number) =>
    np.array(
      Array.from({ length: rows }, (_, row) =>
        Array.from({ length: width }, (_, i) =>
          Array.from({ length: of }, (_, j) => (numbers[row * width + i] === j ? 1 : 0)),
        ),
      ),
    );
  const matrix = (values: Float32Array) => np.array(values).reshape([rows, width]);
  const each = np.sum(pick(at, texts.width).mul(exponents), -1).mul(matrix(read));
  const own = np.exp(each);
  const others = np.sum(own.ref.mul(matrix(means)), 1, { keepdims: true });
  const factors = own.sub(others.ref).mul(matrix(read)).add(others);
  const weights = factors.mul(matrix(shares)).reshape([rows, width, 1]);
  return np.sum(pick(terms, count).mul(weights), 1);
}

function semantic(model: ModelSettings, take: Take, texts: TokenRows): JaxArray {
  const { head, encoder } = model;
  if (head.kind !== "joint" || !head.semantic) throw new Error("no semantic part");
  const { rows, width } = texts;
  const { pooling, normalize, scale } = head.semantic;
  const x = states(model, take, texts);
  const mean = () => {
    const mask = maskOf(texts).reshape([rows, width, 1]);
    return np.sum(x.mul(mask.ref), 1).div(np.sum(mask, 1));
  };
  let vector = pooling === "cls" ? x.slice([], [0, 1]).reshape([rows, encoder.width]) : mean();
  if (head.semantic.width !== undefined) vector = linear(vector, take, "semantic.projection");
  if (normalize) {
    vector = vector.ref.div(np.sqrt(np.sum(np.square(vector), -1, { keepdims: true })));
  }
  return scale ? vector.mul(take("semantic.scale")) : vector;
}

function lateInteraction(
  model: ModelSettings,
  take: Take,
  queries: TokenRows,
  passages: TokenRows,
): JaxArray {
  if (model.head.kind !== "colbert") throw new Error("no ColBERT");
  const { width } = model.head;
  const side = (texts: TokenRows) => {
    const mask = maskOf(texts).reshape([texts.rows, texts.width, 1]);
    return linear(states(model, take, texts), take, "colbert.projection").mul(mask);
  };
  const lengths = np
    .array(Array.from(queries.lengths, (length) => 32 / length))
    .reshape([queries.rows, 1, 1]);
  const [q, p] = [side(queries).mul(lengths), side(passages)];
  const flat = (x: JaxArray) => x.reshape([-1, width]);
  const products = np.matmul(
    flat(q.ref.slice([], [1, queries.width])),
    np.transpose(flat(p.ref.slice([], [1, passages.width]))),
  );
  const tokens = products.reshape([queries.rows, queries.width - 1, passages.rows, passages.width - 1]);
  const words = np.sum(nn.relu(np.max(tokens, 3)), 1);
  const whole = np.matmul(flat(q.slice([], [0, 1])), np.transpose(flat(p.slice([], [0, 1]))));
  return words.add(whole);
}
