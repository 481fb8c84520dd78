// Tiny ONNX models, so that encoders can be tested without a real one.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rowsOf, transpose } from "../../src/lab/train/graph/arrange.ts";
import { Graph, type Tensor } from "../../src/lab/train/graph/graph.ts";
import { linear } from "../../src/lab/train/graph/matmul.ts";

export interface TinyModel {
  /** For each vocabulary id, the state of the token. It does not depend on its neighbors. */
  readonly states: readonly (readonly number[])[];
  /** More outputs by name: the states times a matrix (width × n). */
  readonly products?: Readonly<Record<string, readonly (readonly number[])[]>>;
}

/** A model that looks up the state of each token and multiplies it: last_hidden_state, and an output for every product. */
function tinyModel({ states, products = {} }: TinyModel): Uint8Array {
  const graph = new Graph();
  const ids = graph.input("input_ids", "int64", ["batch", "tokens"]);
  const hidden = rowsOf(matrix(graph, states), ids);
  const outputs = Object.entries(products).map(([name, rows]) => {
    const product = linear(hidden, transpose(matrix(graph, rows), [1, 0]));
    return [name, product] as const;
  });
  return graph.written({ last_hidden_state: hidden, ...Object.fromEntries(outputs) }).bytes;
}

function matrix(graph: Graph, rows: readonly (readonly number[])[]): Tensor {
  const values = new Uint8Array(Float32Array.from(rows.flat()).buffer);
  return graph.constant("float32", [rows.length, rows[0].length], values);
}

/** A model folder with a word-piece tokenizer over these words. */
export function writeModel(
  folder: string,
  model: TinyModel,
  pieces: readonly string[],
  description?: object,
): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "model.onnx"), tinyModel(model));
  writeFileSync(join(folder, "tokenizer.json"), tokenizerJson(pieces));
  if (description) writeFileSync(join(folder, "sluice.json"), JSON.stringify(description));
}

/** The first terms of every vocabulary here. */
export const SPECIAL_PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/** A word-piece tokenizer over these words. */
export function tokenizerJson(pieces: readonly string[]): string {
  const special = (token: string) => ({ id: token, ids: [pieces.indexOf(token)], tokens: [token] });
  return JSON.stringify({
    version: "1.0",
    added_tokens: [],
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "[CLS]", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "[SEP]", type_id: 0 } },
      ],
      pair: [],
      special_tokens: { "[CLS]": special("[CLS]"), "[SEP]": special("[SEP]") },
    },
    decoder: null,
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
    },
  });
}
