// Tiny ONNX models, written byte by byte, so that encoders can be tested without a real one.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tokenizerJson } from "./word-pieces.ts";

type Bytes = number[];

function varint(value: number): Bytes {
  const bytes: Bytes = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

/** Protocol buffers: a number, and a text or a message. */
const number = (field: number, value: number): Bytes => [...varint(field << 3), ...varint(value)];
const message = (field: number, content: Bytes): Bytes => [
  ...varint((field << 3) | 2),
  ...varint(content.length),
  ...content,
];
const text = (field: number, value: string): Bytes => message(field, [...Buffer.from(value)]);

const FLOAT = 1;
const INT64 = 7;

function tensor(name: string, dims: readonly number[], values: readonly number[]): Bytes {
  const raw = [...new Uint8Array(Float32Array.from(values).buffer)];
  return [
    ...dims.flatMap((dim) => number(1, dim)),
    ...number(2, FLOAT),
    ...text(8, name),
    ...message(9, raw),
  ];
}

function valueInfo(name: string, type: number, dims: readonly string[]): Bytes {
  const shape = dims.flatMap((dim) => message(1, /^\d+$/.test(dim) ? number(1, Number(dim)) : text(2, dim)));
  return [...text(1, name), ...message(2, message(1, [...number(1, type), ...message(2, shape)]))];
}

function node(operation: string, inputs: readonly string[], outputs: readonly string[]): Bytes {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...outputs.flatMap((name) => text(2, name)),
    ...text(4, operation),
  ];
}

export interface TinyModel {
  /** By vocabulary id: the state of the token, whatever stands around it. */
  readonly states: readonly (readonly number[])[];
  /** Outputs that are the states times a matrix (width × n), each by name. */
  readonly products?: Readonly<Record<string, readonly (readonly number[])[]>>;
}

/** A model that looks a token's state up, and multiplies it: last_hidden_state, and an output for every product. */
export function tinyModel({ states, products = {} }: TinyModel): Uint8Array {
  const width = String(states[0].length);
  const graph = [
    ...message(1, node("Gather", ["states", "input_ids"], ["last_hidden_state"])),
    ...Object.keys(products).flatMap((name) =>
      message(1, node("MatMul", ["last_hidden_state", `${name}_matrix`], [name])),
    ),
    ...text(2, "tiny"),
    ...message(5, tensor("states", [states.length, states[0].length], states.flat())),
    ...Object.entries(products).flatMap(([name, rows]) =>
      message(5, tensor(`${name}_matrix`, [rows.length, rows[0].length], rows.flat())),
    ),
    ...message(11, valueInfo("input_ids", INT64, ["batch", "tokens"])),
    ...message(11, valueInfo("attention_mask", INT64, ["batch", "tokens"])),
    ...message(12, valueInfo("last_hidden_state", FLOAT, ["batch", "tokens", width])),
    ...Object.entries(products).flatMap(([name, rows]) =>
      message(12, valueInfo(name, FLOAT, ["batch", "tokens", String(rows[0].length)])),
    ),
  ];
  return Uint8Array.from([
    ...number(1, 8),
    ...message(7, graph),
    ...message(8, [...text(1, ""), ...number(2, 13)]),
  ]);
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
