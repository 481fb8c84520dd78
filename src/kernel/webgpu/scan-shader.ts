// One pass over the resident rows: the score of every document, as a key. What is read is a list of entries, (slice,
// index, value) and (dim, value): a slot that the query does not fill is not in the list and costs nothing, and the
// heavy part of a query is just a shorter list. So exact scores, first stages and the inner product are one shader.
//
// A second way of scoring gives not the score but the most it can be ("ceiling"): the sum over the list, plus the
// product of two lengths, of what the list leaves out of the query and what it leaves out of the document
// (Cauchy–Schwarz), or plus a constant from the largest values of the cells left out, whichever is less.
// A third reads bytes that were rounded up, and vectors of bytes with their error's length.

import { CHUNK, DOCS_PER_THREAD, KEY_OF } from "./wgsl.ts";

export interface ScanKind {
  readonly values: "float16" | "bytes";
  /** False: the inner product, indices are not read. */
  readonly gated: boolean;
  readonly ceiling: boolean;
  readonly indexBytes: 1 | 2;
}

/** What may be tried on a device; results do not depend on it. */
export interface ScanTuning {
  readonly threads: number;
  /**
   * Threads that share the list for the same eight documents. A thread that takes all 896 entries by itself lives almost as
   * long as its chunk is scanned, and the device idles while the last of them finish; with four there are four times as
   * many threads, each a quarter as long.
   */
  readonly parts: number;
  /** Entries taken at once. The list must be filled up to a multiple of it. */
  readonly unroll: number;
}

export const SCAN_TUNING: ScanTuning = { threads: 256, parts: 4, unroll: 2 };

/** Where the words of a query's header are, in pairs. The list of entries follows, lexical ones first. */
export const HEADER_PAIRS = 8;
const D = DOCS_PER_THREAD;

export function scanShader(kind: ScanKind, { threads, parts, unroll }: ScanTuning): string {
  const groups = threads / parts;
  const { values, gated, ceiling } = kind;
  const bytes = values === "bytes";
  const valueType = bytes ? "vec2<u32>" : "vec4<u32>";
  const indexType = kind.indexBytes === 1 ? "vec2<u32>" : "vec4<u32>";
  // Bindings that a kind does not read must not be declared: an automatic layout leaves them out.
  return /* wgsl */ `
${CHUNK}
@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(1) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> values: array<${valueType}>;
@group(0) @binding(3) var<storage, read> semantic: array<${valueType}>;
@group(0) @binding(4) var<storage, read> allowed: array<u32>;
@group(0) @binding(5) var<storage, read_write> keys: array<vec4<u32>>;
${gated ? `@group(0) @binding(6) var<storage, read> indices: array<${indexType}>;` : ""}
${ceiling || bytes ? `@group(0) @binding(${gated ? 7 : 6}) var<storage, read> lengths: array<vec4<f32>>;` : ""}
${KEY_OF}
fn key4(s: vec4<f32>, bits: u32) -> vec4<u32> {
  let keys = vec4<u32>(keyOf(s.x), keyOf(s.y), keyOf(s.z), keyOf(s.w));
  return select(vec4<u32>(0u), keys, (vec4<u32>(bits) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u));
}
${UNPACK}
${parts > 1 ? `var<workgroup> sums: array<vec4<f32>, ${2 * (threads - groups) * (ceiling ? 2 : 1)}>;` : ""}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  // Strides are multiples of what a workgroup takes: there is no document outside.
  let at = group.x * ${groups}u + local % ${groups}u;
  let part = local / ${groups}u;
  let header = group.y * ${HEADER_PAIRS}u;
  let list = asked[header];
  let semanticEnd = list.x + list.y + asked[header + 1u].x;
  var a = vec4<f32>(); var b = vec4<f32>();
  ${ceiling ? "var aa = vec4<f32>(); var bb = vec4<f32>();" : ""}
  for (var e = list.x + list.y + part * ${unroll}u; e < semanticEnd; e += ${parts * unroll}u) {
    ${repeat(unroll, (u) => semanticStep(`e + ${u}u`, bytes, ceiling))}
  }
  ${bytes ? `let norm = select(0.0, bitcast<f32>(asked[header + 3u].y), part == 0u);\n  ${scaleSemantic()}` : ""}
  for (var e = list.x + part * ${unroll}u; e < list.x + list.y; e += ${parts * unroll}u) {
    ${repeat(unroll, (u) => lexicalStep(`e + ${u}u`, kind))}
  }
  ${parts > 1 ? addParts(groups, parts, ceiling) : ""}
  ${ceiling ? addLeftOut() : ""}
  ${ceiling || bytes ? "let slack = bitcast<f32>(asked[header + 3u].x); a += slack; b += slack;" : ""}
  let bits = allowed[at / 4u] >> ((at % 4u) * 8u);
  let to = group.y * chunk.keyStride + at * 2u;
  keys[to] = key4(a, bits);
  keys[to + 1u] = key4(b, bits >> 4u);
}`;
}

/** Words → four numbers. */
const UNPACK = /* wgsl */ `
fn halves(x: u32, y: u32) -> vec4<f32> { return vec4<f32>(unpack2x16float(x), unpack2x16float(y)); }
fn bytes4(x: u32) -> vec4<f32> {
  return vec4<f32>((vec4<u32>(x) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u));
}
fn gate8(x: u32) -> vec4<bool> {
  return (vec4<u32>(x) & vec4<u32>(0xffu, 0xff00u, 0xff0000u, 0xff000000u)) == vec4<u32>(0u);
}
fn gate16(x: u32, y: u32) -> vec4<bool> {
  return (vec4<u32>(x, x, y, y) & vec4<u32>(0xffffu, 0xffff0000u, 0xffffu, 0xffff0000u)) == vec4<u32>(0u);
}`;

function repeat(times: number, step: (u: number) => string): string {
  return Array.from({ length: times }, (_, u) => `{ ${step(u)} }`).join("\n    ");
}

function unpacked(bytes: boolean): string {
  return bytes
    ? "let va = bytes4(v.x); let vb = bytes4(v.y);"
    : "let va = halves(v.x, v.y); let vb = halves(v.z, v.w);";
}

const SQUARES = "aa = fma(va, va, aa); bb = fma(vb, vb, bb);";

function semanticStep(at: string, bytes: boolean, ceiling: boolean): string {
  // Bytes of vectors are stored with 128 added, so that they are unsigned like the others.
  return `let entry = asked[${at}]; let v = semantic[entry.x * chunk.groups + at];
    ${unpacked(bytes)} let q = vec4<f32>(bitcast<f32>(entry.y)); ${ceiling ? `if (entry.y != 0u) { ${SQUARES} }` : ""}
    a = fma(q, va${bytes ? " - 128.0" : ""}, a); b = fma(q, vb${bytes ? " - 128.0" : ""}, b);`;
}

function lexicalStep(at: string, { values, gated, ceiling, indexBytes }: ScanKind): string {
  const gates =
    indexBytes === 1
      ? `let x = indices[place] ^ vec2<u32>((entry.x & 0xffffu) * 0x01010101u);
    let ga = gate8(x.x); let gb = gate8(x.y);`
      : `let x = indices[place] ^ vec4<u32>((entry.x & 0xffffu) * 0x00010001u);
    let ga = gate16(x.x, x.y); let gb = gate16(x.z, x.w);`;
  const [wa, wb] = gated ? ["select(vec4<f32>(), va, ga)", "select(vec4<f32>(), vb, gb)"] : ["va", "vb"];
  return `let entry = asked[${at}]; let place = (entry.x >> 16u) * chunk.groups + at; let v = values[place];
    ${gated ? gates : ""}
    ${unpacked(values === "bytes")} let q = vec4<f32>(bitcast<f32>(entry.y)); ${ceiling ? `if (entry.y != 0u) { ${SQUARES} }` : ""}
    a = fma(q, ${wa}, a); b = fma(q, ${wb}, b);`;
}

/** Byte vectors: sum × the document's scale, plus the query's length × that of the document's rounding error. */
function scaleSemantic(): string {
  const four = (name: string, from: number) => {
    const pair = (i: number) => `lengths[at * 4u + ${from + i}u]`;
    return `{ let x = ${pair(0)}; let y = ${pair(1)};
    ${name} = fma(${name}, vec4<f32>(x.x, x.z, y.x, y.z), norm * vec4<f32>(x.y, x.w, y.y, y.w)); }`;
  };
  return `${four("a", 0)}\n  ${four("b", 2)}`;
}

/** The sums of the other parts are added to those of the first, whose threads go on alone. */
function addParts(groups: number, parts: number, ceiling: boolean): string {
  const names = ceiling ? ["a", "b", "aa", "bb"] : ["a", "b"];
  const step = groups * names.length;
  return `if (part > 0u) {
    let to = (part - 1u) * ${step}u + local % ${groups}u;
    ${names.map((name, i) => `sums[to + ${i * groups}u] = ${name};`).join(" ")}
  }
  workgroupBarrier();
  if (part > 0u) { return; }
  for (var from0 = local; from0 < ${(parts - 1) * step}u; from0 += ${step}u) {
    ${names.map((name, i) => `${name} += sums[from0 + ${i * groups}u];`).join(" ")}
  }`;
}

function addLeftOut(): string {
  return `let left = asked[header + 2u];
  let ra = sqrt(max(vec4<f32>(), lengths[at * 2u] - aa)); let rb = sqrt(max(vec4<f32>(), lengths[at * 2u + 1u] - bb));
  a += min(vec4<f32>(bitcast<f32>(left.y)), bitcast<f32>(left.x) * ra);
  b += min(vec4<f32>(bitcast<f32>(left.y)), bitcast<f32>(left.x) * rb);`;
}

/** Documents of one workgroup. */
export const scanTile = ({ threads, parts }: ScanTuning): number => (threads / parts) * D;
