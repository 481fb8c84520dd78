// The shaders that replace the key of every candidate in a ranked list by its exact score. If whole rows are on the
// device, a candidate is one contiguous range of memory. Otherwise scores come from columns, where a candidate's slots are
// far apart: the index is read first, and the value only if the index is the query's.

import { type RowWords, semanticUnits, slotUnits } from "./document-chunks.ts";
import { HEADER_PAIRS } from "./scan-shader.ts";
import { LIST_HEADER_PAIRS } from "./select-shaders.ts";
import { KEY_OF } from "./wgsl.ts";

interface RescoreKind {
  readonly dims: number;
  readonly semanticDims: number;
  readonly indexBytes: 1 | 2;
}

const THREADS = 64;

/** Words of a query with an entry for every slice: values, cells, semantic part, each padded as in rows. */
export function denseWords(kind: Pick<RescoreKind, "dims" | "semanticDims">): number {
  return slotUnits(kind) * 32 + semanticUnits(kind) * 8;
}

/**
 * A workgroup scores one candidate. `body` adds a thread's part to `sum`; `isHere` tests whether the buffers have
 * `doc`.
 */
function rescoreShader(
  kind: RescoreKind,
  queryType: "u32" | "vec4<u32>",
  buffers: string,
  isHere: string,
  body: string,
): string {
  return /* wgsl */ `
@group(0) @binding(0) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> ranked: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> query: array<${queryType}>;
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

const asFloat = (word: string) => `bitcast<f32>(${word})`;

interface RowBuffers {
  /** The first document. */
  readonly first: number;
  /** Documents per buffer. */
  readonly docsEach: number;
  /** Buffers that the shader sees. */
  readonly count: number;
}

export function rescoreFromRows(
  kind: RescoreKind,
  words: RowWords,
  { first, docsEach, count }: RowBuffers,
): string {
  const slots = slotUnits(kind);
  const buffers = Array.from({ length: count }, (_, i) => i);
  const declared = `${buffers
    .map((i) => `@group(0) @binding(${3 + i}) var<storage, read> rows${i}: array<vec4<u32>>;`)
    .join("\n")}
fn load(buffer: u32, at: u32) -> vec4<u32> {
  switch (buffer) { ${buffers.map((i) => `case ${i}u: { return rows${i}[at]; }`).join(" ")} default: { return vec4<u32>(); } }
}
fn floats(at: u32) -> vec4<f32> { return bitcast<vec4<f32>>(query[at]); }
fn halves(x: u32, y: u32) -> vec4<f32> { return vec4<f32>(unpack2x16float(x), unpack2x16float(y)); }
fn cells8(x: u32) -> vec4<u32> { return (vec4<u32>(x) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u); }
fn cells16(x: u32, y: u32) -> vec4<u32> { return vec4<u32>(x & 0xffffu, x >> 16u, y & 0xffffu, y >> 16u); }
fn gated(cells: vec4<u32>, v: vec4<f32>, at: u32) -> f32 {
  return dot(select(vec4<f32>(), v, cells == query[at + ${slots * 4}u]), floats(at));
}`;
  const cells =
    kind.indexBytes === 1
      ? ["cells8(x.x)", "cells8(x.y)", "cells8(x.z)", "cells8(x.w)"]
      : ["cells16(x.x, x.y)", "cells16(x.z, x.w)", "cells16(y.x, y.y)", "cells16(y.z, y.w)"];
  const values = ["a.x, a.y", "a.z, a.w", "b.x, b.y", "b.z, b.w"];
  const body = `
  let buffer = (doc - ${first}u) / ${docsEach}u;
  let row = ((doc - ${first}u) % ${docsEach}u) * ${words.row / 4}u;
  let asking = dense / 4u;
  for (var i = local; i < ${slots + semanticUnits(kind)}u; i += ${THREADS}u) {
    if (i < ${slots}u) {
      let a = load(buffer, row + i * 2u); let b = load(buffer, row + i * 2u + 1u);
      ${
        kind.indexBytes === 1
          ? `let x = load(buffer, row + ${words.indices / 4}u + i);`
          : `let x = load(buffer, row + ${words.indices / 4}u + i * 2u); let y = load(buffer, row + ${words.indices / 4}u + i * 2u + 1u);`
      }
      let at = asking + i * 4u;
      ${cells.map((four, j) => `sum += gated(${four}, halves(${values[j]}), at + ${j}u);`).join("\n      ")}
    } else {
      let unit = i - ${slots}u;
      let v = load(buffer, row + ${words.semantic / 4}u + unit);
      let at = asking + ${slots * 8}u + unit * 2u;
      sum += dot(halves(v.x, v.y), floats(at)) + dot(halves(v.z, v.w), floats(at + 1u));
    }
  }`;
  return rescoreShader(
    kind,
    "vec4<u32>",
    declared,
    `doc >= ${first}u && doc < ${first + docsEach * count}u`,
    body,
  );
}

/** A chunk that the shader sees, in three buffers. */
interface ColumnChunk {
  readonly first: number;
  readonly stride: number;
}

export function rescoreFromColumns(kind: RescoreKind, chunks: readonly ColumnChunk[]): string {
  const slots = slotUnits(kind) * 16;
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
    let weight = ${asFloat("query[dense + slice]")};
    if (weight == 0.0) { continue; }
    let at = slice * stride + own;
    let cell = (indicesAt(chunk, at / ${perWord}u) >> ((at % ${perWord}u) * ${32 / perWord}u)) & ${kind.indexBytes === 1 ? "0xffu" : "0xffffu"};
    if (cell != query[dense + ${slots}u + slice]) { continue; }
    let h = unpack2x16float(valuesAt(chunk, at / 2u));
    sum = fma(weight, select(h.x, h.y, (at & 1u) == 1u), sum);
  }
  for (var dim = local; dim < ${kind.semanticDims}u; dim += ${THREADS}u) {
    let at = dim * stride + own;
    let h = unpack2x16float(semanticAt(chunk, at / 2u));
    sum = fma(${asFloat(`query[dense + ${2 * slots}u + dim]`)}, select(h.x, h.y, (at & 1u) == 1u), sum);
  }`;
  const last = chunks[chunks.length - 1];
  const here = `doc >= ${chunks[0].first}u && doc < ${last.first + last.stride}u`;
  return rescoreShader(kind, "u32", `${declared}\n${readers}`, here, body);
}
