// The exact score of every candidate of a ranked list, in place of the key that brought it there. From rows, where the
// resident collection keeps a copy of them: a candidate is then one stretch of memory. From columns otherwise: every
// slot of a candidate lies in another place, so its index is looked at first, and its value only where the gate opens.

import type { RowWords } from "./chunks.ts";
import { HEADER_PAIRS } from "./scan-shader.ts";
import { LIST_HEADER_PAIRS } from "./select-shaders.ts";
import { KEY_OF } from "./wgsl.ts";

export interface RescoreKind {
  readonly dims: number;
  readonly semanticDims: number;
  readonly indexBytes: 1 | 2;
}

const THREADS = 64;

/** Words of a query laid out over all slices: values, cells, semantic part. */
export function denseWords({ dims, semanticDims }: Pick<RescoreKind, "dims" | "semanticDims">): number {
  return Math.ceil(dims / 4) * 8 + Math.ceil(semanticDims / 2) * 2;
}

/** A workgroup a candidate; `body` adds to `sum` what a thread finds. */
function shader(kind: RescoreKind, buffers: string, isHere: string, body: string): string {
  return /* wgsl */ `
@group(0) @binding(0) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> ranked: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> query: array<u32>;
${buffers}
${KEY_OF}
var<workgroup> sums: array<f32, ${THREADS}>;
var<workgroup> item: vec2<u32>;
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let list = group.y * (asked[group.y * ${HEADER_PAIRS}u + 4u].x + ${LIST_HEADER_PAIRS}u);
  let place = list + ${LIST_HEADER_PAIRS}u + group.x;
  if (local == 0u) { item = vec2<u32>(ranked[place].x, ranked[list].x); }
  let found = workgroupUniformLoad(&item);
  let doc = found.x;
  if (group.x >= found.y || !(${isHere})) { return; }
  let dense = group.y * ${denseWords(kind)}u;
  var sum = 0.0;
  ${body}
  sums[local] = sum;
  workgroupBarrier();
  for (var half = ${THREADS / 2}u; half > 0u; half /= 2u) {
    if (local < half) { sums[local] += sums[local + half]; }
    workgroupBarrier();
  }
  if (local == 0u) { ranked[place] = vec2<u32>(doc, ~keyOf(sums[0])); }
}`;
}

const f = (word: string) => `bitcast<f32>(${word})`;

export interface RowBuffers {
  /** The first document, how many there are in each buffer, and how many buffers are seen at once. */
  readonly first: number;
  readonly docsEach: number;
  readonly count: number;
}

export function rescoreFromRows(
  kind: RescoreKind,
  words: RowWords,
  { first, docsEach, count }: RowBuffers,
): string {
  const fours = Math.ceil(kind.dims / 4);
  const buffers = Array.from({ length: count }, (_, i) => i);
  const declared = `${buffers
    .map((i) => `@group(0) @binding(${3 + i}) var<storage, read> rows${i}: array<u32>;`)
    .join("\n")}
fn word(buffer: u32, at: u32) -> u32 {
  switch (buffer) { ${buffers.map((i) => `case ${i}u: { return rows${i}[at]; }`).join(" ")} default: { return 0u; } }
}`;
  const gate = (lane: number) => {
    const cell = `query[dense + ${fours * 4}u + i * 4u + ${lane}u]`;
    const own =
      kind.indexBytes === 1
        ? `((x >> ${8 * lane}u) & 255u)`
        : `((x${lane >> 1} >> ${16 * (lane & 1)}u) & 0xffffu)`;
    const value = `h${lane >> 1}.${lane & 1 ? "y" : "x"}`;
    return `if (${own} == ${cell}) { sum = fma(${f(`query[dense + i * 4u + ${lane}u]`)}, ${value}, sum); }`;
  };
  const body = `
  let buffer = (doc - ${first}u) / ${docsEach}u;
  let row = ((doc - ${first}u) % ${docsEach}u) * ${words.row}u;
  for (var i = local; i < ${fours}u; i += ${THREADS}u) {
    let h0 = unpack2x16float(word(buffer, row + i * 2u)); let h1 = unpack2x16float(word(buffer, row + i * 2u + 1u));
    ${
      kind.indexBytes === 1
        ? `let x = word(buffer, row + ${words.indices}u + i);`
        : `let x0 = word(buffer, row + ${words.indices}u + i * 2u); let x1 = word(buffer, row + ${words.indices}u + i * 2u + 1u);`
    }
    ${[0, 1, 2, 3].map(gate).join("\n    ")}
  }
  for (var i = local; i < ${Math.ceil(kind.semanticDims / 2)}u; i += ${THREADS}u) {
    let h = unpack2x16float(word(buffer, row + ${words.semantic}u + i));
    let q = dense + ${fours * 8}u + i * 2u;
    sum = fma(${f("query[q]")}, h.x, fma(${f("query[q + 1u]")}, h.y, sum));
  }`;
  return shader(kind, declared, `doc >= ${first}u && doc < ${first + docsEach * count}u`, body);
}

/** Chunks that one shader sees: three buffers each. */
export interface ColumnChunk {
  readonly first: number;
  readonly stride: number;
}

export function rescoreFromColumns(kind: RescoreKind, chunks: readonly ColumnChunk[]): string {
  const fours = Math.ceil(kind.dims / 4);
  const names = ["values", "indices", "semantic"];
  const declared = chunks
    .flatMap((_, i) =>
      names.map(
        (name, j) => `@group(0) @binding(${3 + 3 * i + j}) var<storage, read> ${name}${i}: array<u32>;`,
      ),
    )
    .join("\n");
  const readers = names
    .map(
      (name) => `fn ${name}At(chunk: u32, at: u32) -> u32 {
  switch (chunk) { ${chunks.map((_, i) => `case ${i}u: { return ${name}${i}[at]; }`).join(" ")} default: { return 0u; } }
}`,
    )
    .join("\n");
  const perWord = kind.indexBytes === 1 ? 4 : 2;
  const body = `
  var chunk = 0u; var own = doc - ${chunks[0].first}u; var stride = ${chunks[0].stride}u;
  ${chunks
    .slice(1)
    .map(
      ({ first, stride }, i) =>
        `if (doc >= ${first}u) { chunk = ${i + 1}u; own = doc - ${first}u; stride = ${stride}u; }`,
    )
    .join("\n  ")}
  for (var slice = local; slice < ${kind.dims}u; slice += ${THREADS}u) {
    let weight = ${f("query[dense + slice]")};
    if (weight == 0.0) { continue; }
    let at = slice * stride + own;
    let cell = (indicesAt(chunk, at / ${perWord}u) >> ((at % ${perWord}u) * ${32 / perWord}u)) & ${kind.indexBytes === 1 ? "0xffu" : "0xffffu"};
    if (cell != query[dense + ${fours * 4}u + slice]) { continue; }
    let h = unpack2x16float(valuesAt(chunk, at / 2u));
    sum = fma(weight, select(h.x, h.y, (at & 1u) == 1u), sum);
  }
  for (var dim = local; dim < ${kind.semanticDims}u; dim += ${THREADS}u) {
    let at = dim * stride + own;
    let h = unpack2x16float(semanticAt(chunk, at / 2u));
    sum = fma(${f(`query[dense + ${fours * 8}u + dim]`)}, select(h.x, h.y, (at & 1u) == 1u), sum);
  }`;
  const last = chunks[chunks.length - 1];
  const here = `doc >= ${chunks[0].first}u && doc < ${last.first + last.stride}u`;
  return shader(kind, `${declared}\n${readers}`, here, body);
}
