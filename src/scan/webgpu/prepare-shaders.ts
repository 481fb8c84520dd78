// The shaders that prepare uploaded rows, once: transpose them into columns, measure them, and round them up to bytes.

import { CHUNK } from "./wgsl.ts";

const THREADS = 64;

/**
 * Buckets per slice for the largest values of its cells; indices with the same low byte share one. More give tighter
 * bounds.
 */
export const CELL_BUCKETS = 256;

/** Workgroups for this many documents, eight a thread. */
export const groupsOfEight = (docs: number): number => Math.ceil(docs / (8 * THREADS));

/**
 * Rows → columns. The second coordinate of a workgroup is the column: a slice, or after the last slice a semantic
 * dimension. A thread takes eight documents. `place` has the number of rows, where they go in the chunk and the chunk's
 * stride, both in groups of eight documents, and the shape of a row.
 */
export function transposeShader(isWide: boolean): string {
  const half = (word: string, odd: string) => `((${word} >> (${odd} * 16u)) & 0xffffu)`;
  return /* wgsl */ `
struct Place {
  rows: u32, to: u32, stride: u32, dims: u32,
  semanticDims: u32, rowWords: u32, indexWord: u32, semanticWord: u32,
}
@group(0) @binding(0) var<uniform> place: Place;
@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> indices: array<${isWide ? "vec4<u32>" : "vec2<u32>"}>;
@group(0) @binding(4) var<storage, read_write> semantic: array<vec4<u32>>;
fn half(doc: u32, at: u32) -> u32 {
  if (doc >= place.rows) { return 0u; }
  let word = rows[doc * place.rowWords + (at >> 1u)];
  return ${half("word", "(at & 1u)")};
}
fn pair(doc: u32, at: u32) -> u32 { return half(doc, at) | (half(doc + 1u, at) << 16u); }
fn eight(doc: u32, at: u32) -> vec4<u32> {
  return vec4<u32>(pair(doc, at), pair(doc + 2u, at), pair(doc + 4u, at), pair(doc + 6u, at));
}
fn cell(doc: u32, slice: u32) -> u32 {
  if (doc >= place.rows) { return 0u; }
  let word = rows[doc * place.rowWords + place.indexWord + (slice >> 2u)];
  return (word >> ((slice & 3u) * 8u)) & 255u;
}
fn cells(doc: u32, slice: u32) -> u32 {
  return cell(doc, slice) | (cell(doc + 1u, slice) << 8u) | (cell(doc + 2u, slice) << 16u) | (cell(doc + 3u, slice) << 24u);
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let eights = group.x * ${THREADS}u + local;
  let doc = eights * 8u;
  if (doc >= place.rows) { return; }
  let column = group.y;
  if (column < place.dims) {
    let to = column * place.stride + place.to + eights;
    values[to] = eight(doc, column);
    indices[to] = ${isWide ? "eight(doc, place.indexWord * 2u + column)" : "vec2<u32>(cells(doc, column), cells(doc + 4u, column))"};
  } else {
    let dim = column - place.dims;
    if (dim < place.semanticDims) {
      semantic[dim * place.stride + place.to + eights] = eight(doc, place.semanticWord * 2u + dim);
    }
  }
}`;
}

/** The largest magnitude of each bucket of cells. float16 bits without the sign sort like magnitudes. */
export function cellMaximaShader(isWide: boolean): string {
  return /* wgsl */ `
${CHUNK}
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> values: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> indices: array<${isWide ? "vec4<u32>" : "vec2<u32>"}>;
@group(0) @binding(3) var<storage, read_write> maxima: array<atomic<u32>>;
var<workgroup> most: array<atomic<u32>, ${CELL_BUCKETS}>;
fn note(word: u32, a: u32, b: u32) {
  atomicMax(&most[a & 255u], word & 0x7fffu);
  atomicMax(&most[b & 255u], (word >> 16u) & 0x7fffu);
}
@compute @workgroup_size(${THREADS})
fn main(
  @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  for (var i = group.x * ${THREADS}u + local; i < chunk.groups; i += groups.x * ${THREADS}u) {
    let v = values[group.y * chunk.groups + i];
    let x = indices[group.y * chunk.groups + i];
    ${
      isWide
        ? "note(v.x, x.x, x.x >> 16u); note(v.y, x.y, x.y >> 16u); note(v.z, x.z, x.z >> 16u); note(v.w, x.w, x.w >> 16u);"
        : "note(v.x, x.x, x.x >> 8u); note(v.y, x.x >> 16u, x.x >> 24u); note(v.z, x.y, x.y >> 8u); note(v.w, x.y >> 16u, x.y >> 24u);"
    }
  }
  workgroupBarrier();
  for (var i = local; i < ${CELL_BUCKETS}u; i += ${THREADS}u) {
    let found = atomicLoad(&most[i]);
    if (found > 0u) { atomicMax(&maxima[group.y * ${CELL_BUCKETS}u + i], found); }
  }
}`;
}

/**
 * The squared length of every document over all slices and semantic dimensions, rounded up; and the largest of them, for
 * whole rows and for semantic parts.
 */
export function lengthsShader(): string {
  const column = (name: string) => `let v = ${name}[i * chunk.groups + at];
    let va = vec4<f32>(unpack2x16float(v.x), unpack2x16float(v.y)); let vb = vec4<f32>(unpack2x16float(v.z), unpack2x16float(v.w));
    a = fma(va, va, a); b = fma(vb, vb, b);`;
  return /* wgsl */ `
${CHUNK}
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> values: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> semantic: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> lengths: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> maxima: array<atomic<u32>>;
fn most(a: vec4<f32>, b: vec4<f32>) -> u32 {
  let m = max(a, b);
  return bitcast<u32>(max(max(m.x, m.y), max(m.z, m.w)));
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let at = id.x;
  if (at >= chunk.groups) { return; }
  var a = vec4<f32>(); var b = vec4<f32>();
  let upwards = 1.0 + f32(chunk.dims + chunk.semanticDims + 8u) * ${2 ** -22};
  for (var i = 0u; i < chunk.semanticDims; i++) { ${column("semantic")} }
  a *= upwards; b *= upwards;
  atomicMax(&maxima[1], most(a, b));
  for (var i = 0u; i < chunk.dims; i++) { ${column("values")} }
  a *= upwards; b *= upwards;
  lengths[at * 2u] = a; lengths[at * 2u + 1u] = b;
  atomicMax(&maxima[0], most(a, b));
}`;
}

/**
 * Values → bytes, rounded up by the slice's scale. A scale has 16 significant bits and a byte 8, so their product is exact
 * in float32 and can be compared with the value.
 */
export function bytesShader(): string {
  return /* wgsl */ `
${CHUNK}
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> scales: array<f32>;
@group(0) @binding(2) var<storage, read> values: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> bytes: array<vec2<u32>>;
fn up(value: f32, scale: f32) -> u32 {
  if (value <= 0.0) { return 0u; }
  var n = min(u32(value / scale), 255u);
  if (f32(n) * scale < value) { n++; }
  if (f32(n) * scale < value) { n++; }
  return min(n, 255u);
}
fn four(x: u32, y: u32, scale: f32) -> u32 {
  let a = unpack2x16float(x); let b = unpack2x16float(y);
  return up(a.x, scale) | (up(a.y, scale) << 8u) | (up(b.x, scale) << 16u) | (up(b.y, scale) << 24u);
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let at = group.x * ${THREADS}u + local;
  if (at >= chunk.groups) { return; }
  let place = group.y * chunk.groups + at;
  let v = values[place];
  bytes[place] = vec2<u32>(four(v.x, v.y, scales[group.y]), four(v.z, v.w, scales[group.y]));
}`;
}

/**
 * Vectors → signed bytes with 128 added, and for each document (scale, error): the error is the length of what rounding
 * lost. It is measured after rounding, so it holds whatever the rounding did.
 */
export function byteVectorsShader(): string {
  return /* wgsl */ `
${CHUNK}
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> semantic: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> bytes: array<u32>;
@group(0) @binding(3) var<storage, read_write> lengths: array<vec4<f32>>;
fn four(x: vec2<u32>) -> vec4<f32> { return vec4<f32>(unpack2x16float(x.x), unpack2x16float(x.y)); }
@compute @workgroup_size(${THREADS})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let at = id.x;
  let stride = chunk.groups * 2u;
  if (at >= stride) { return; }
  var most = vec4<f32>();
  for (var i = 0u; i < chunk.semanticDims; i++) { most = max(most, abs(four(semantic[i * stride + at]))); }
  let scale = max(most / 127.0, vec4<f32>(1e-20));
  var lost = vec4<f32>();
  for (var i = 0u; i < chunk.semanticDims; i++) {
    let v = four(semantic[i * stride + at]);
    let n = clamp(floor(v / scale + 0.5), vec4<f32>(-127.0), vec4<f32>(127.0));
    let gap = v - n * scale;
    lost = fma(gap, gap, lost);
    let b = vec4<u32>(vec4<i32>(n) + vec4<i32>(128));
    bytes[i * stride + at] = b.x | (b.y << 8u) | (b.z << 16u) | (b.w << 24u);
  }
  // A thousandth more than measured: far above what float32 can have lost here.
  let error = sqrt(lost) * 1.001 + most * 1e-6;
  lengths[at * 2u] = vec4<f32>(scale.x, error.x, scale.y, error.y);
  lengths[at * 2u + 1u] = vec4<f32>(scale.z, error.z, scale.w, error.w);
}`;
}
