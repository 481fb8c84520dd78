// The shader that scans many queries in one pass over the rows. A thread holds the sums of a few documents and up to
// sixteen queries; it reads a slot of each document once and tries it on all queries. Arithmetic is then the limit, not
// memory: a comparison and a multiply-add for every query, document and slice. Workgroups with the same documents and
// other queries run side by side, so they find each other's reads in the cache.

import { HEADER_PAIRS } from "./scan-shader.ts";
import { CHUNK, KEY_OF } from "./wgsl.ts";

interface BatchKind {
  readonly indexBytes: 1 | 2;
  /** False: the inner product, a plain matrix product. */
  readonly isGated: boolean;
}

interface RowWidth {
  readonly dims: number;
  readonly semanticDims: number;
}

export interface BatchTuning {
  /** Threads in a workgroup. */
  readonly threads: number;
  /** Documents per thread. */
  readonly docs: 4 | 8;
  /** Queries whose sums a thread holds: 4, 8 or 16. */
  readonly queries: number;
  /** `branch`: a conditional multiply-add, two instructions if the compiler predicates it; `select`: always three. */
  readonly gate: "branch" | "select";
}

export const BATCH_TUNING: BatchTuning = { threads: 128, docs: 8, queries: 16, gate: "branch" };

/** Slices whose query cells are in shared memory at a time. More need more shared memory and fewer barriers. */
const STAGED = 32;

/** Documents per workgroup. */
export const batchTile = ({ threads, docs }: BatchTuning): number => threads * docs;

/**
 * Size of a group of queries in the table, in 16-byte words: cells and weights by slice, then weights by semantic
 * dimension.
 */
export function batchTableQuads({ dims, semanticDims }: RowWidth, queries: number): number {
  return (dims * 2 + semanticDims) * (queries / 4);
}

const LANES = ["x", "y", "z", "w"] as const;

const WORDS = ["", "u32", "vec2<u32>", "", "vec4<u32>"] as const;

export function batchShader(
  { indexBytes, isGated }: BatchKind,
  { threads, docs, queries, gate }: BatchTuning,
): string {
  const quads = queries / 4;
  const all = Array.from({ length: queries }, (_, q) => q);
  const fours = Array.from({ length: docs / 4 }, (_, four) => four);
  const each = (line: (four: number) => string) => fours.map(line).join(" ");
  const at = (q: number) => `[i * ${quads}u + ${q >> 2}u].${LANES[q & 3]}`;
  const indexWords = (docs * indexBytes) / 4;
  const word = (w: number) => (indexWords === 1 ? "x" : `x.${LANES[w]}`);
  const halves = (four: number) =>
    `vec4<f32>(unpack2x16float(h.${LANES[2 * four]}), unpack2x16float(h.${LANES[2 * four + 1]}))`;
  const cells = (four: number) =>
    indexBytes === 1
      ? `(vec4<u32>(${word(four)}) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)`
      : `vec4<u32>(${[2 * four, 2 * four + 1].flatMap((w) => [`${word(w)} & 0xffffu`, `${word(w)} >> 16u`]).join(", ")})`;
  const add = (q: number, four: number) => {
    const [sum, v, c] = [`s${q}_${four}`, `v${four}`, `c${four}`];
    if (!isGated) return `${sum} = fma(${v}, vec4<f32>(weight), ${sum});`;
    return gate === "branch"
      ? LANES.map(
          (d) => `if (${c}.${d} == cell) { ${sum}.${d} = fma(${v}.${d}, weight, ${sum}.${d}); }`,
        ).join(" ")
      : `${sum} = fma(select(vec4<f32>(), ${v}, ${c} == vec4<u32>(cell)), vec4<f32>(weight), ${sum});`;
  };
  return /* wgsl */ `
${CHUNK}
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> values: array<${WORDS[docs / 2]}>;
@group(0) @binding(3) var<storage, read> semantic: array<${WORDS[docs / 2]}>;
@group(0) @binding(4) var<storage, read> allowed: array<u32>;
@group(0) @binding(5) var<storage, read_write> keys: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> table: array<vec4<u32>>;
${isGated ? `@group(0) @binding(7) var<storage, read> indices: array<${WORDS[indexWords]}>;` : ""}
${KEY_OF}
${isGated ? `var<workgroup> cells: array<vec4<u32>, ${STAGED * quads}>;` : ""}
var<workgroup> weights: array<vec4<f32>, ${STAGED * quads}>;
fn store(query: u32, at: u32, s: vec4<f32>, bits: u32) {
  if (asked[query * ${HEADER_PAIRS}u + 4u].x == 0u) { return; } // past the last query
  let keysOf = vec4<u32>(keyOf(s.x), keyOf(s.y), keyOf(s.z), keyOf(s.w));
  keys[query * chunk.keyStride + at] =
    select(vec4<u32>(0u), keysOf, (vec4<u32>(bits) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u));
}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  // Strides are multiples of a workgroup's documents, so every thread has work and reaches every barrier.
  let at = group.y * ${threads}u + local;
  let stride = chunk.groups * ${8 / docs}u;
  let base = group.x * (chunk.dims * 2u + chunk.semanticDims) * ${quads}u;
  ${all.map((q) => each((four) => `var s${q}_${four} = vec4<f32>();`)).join(" ")}
  for (var first = 0u; first < chunk.dims; first += ${STAGED}u) {
    let staged = min(${STAGED}u, chunk.dims - first);
    workgroupBarrier();
    for (var i = local; i < staged * ${quads}u; i += ${threads}u) {
      let slice = first + i / ${quads}u;
      let quad = base + slice * ${quads * 2}u + i % ${quads}u;
      ${isGated ? "cells[i] = table[quad];" : ""}
      weights[i] = bitcast<vec4<f32>>(table[quad + ${quads}u]);
    }
    workgroupBarrier();
    // Loads for the next slice are issued before this one is computed.
    var nextValues = values[first * stride + at];
    ${isGated ? "var nextCells = indices[first * stride + at];" : ""}
    for (var i = 0u; i < staged; i++) {
      let h = nextValues;
      ${isGated ? "let x = nextCells;" : ""}
      let place = min(first + i + 1u, chunk.dims - 1u) * stride + at;
      nextValues = values[place];
      ${isGated ? "nextCells = indices[place];" : ""}
      ${each((four) => `let v${four} = ${halves(four)};${isGated ? ` let c${four} = ${cells(four)};` : ""}`)}
      ${all.map((q) => `{ ${isGated ? `let cell = cells${at(q)}; ` : ""}let weight = weights${at(q)}; ${each((four) => add(q, four))} }`).join("\n      ")}
    }
  }
  for (var first = 0u; first < chunk.semanticDims; first += ${STAGED}u) {
    let staged = min(${STAGED}u, chunk.semanticDims - first);
    workgroupBarrier();
    for (var i = local; i < staged * ${quads}u; i += ${threads}u) {
      weights[i] = bitcast<vec4<f32>>(table[base + chunk.dims * ${2 * quads}u + first * ${quads}u + i]);
    }
    workgroupBarrier();
    for (var i = 0u; i < staged; i++) {
      let h = semantic[(first + i) * stride + at];
      ${each((four) => `let v${four} = ${halves(four)};`)}
      ${all.map((q) => each((four) => `s${q}_${four} = fma(v${four}, vec4<f32>(weights${at(q)}), s${q}_${four});`)).join("\n      ")}
    }
  }
  let bits = allowed[at / ${32 / docs}u] >> ((at % ${32 / docs}u) * ${docs}u);
  let query = group.x * ${queries}u;
  ${all.map((q) => each((four) => `store(query + ${q}u, at * ${docs / 4}u + ${four}u, s${q}_${four}, bits >> ${4 * four}u);`)).join("\n  ")}
}`;
}
