// The shader that scans the rows for one query: it writes the score of every document, as a key. The query is a list of
// entries, (slice, index, value) and (dim, value). An empty slot of the query is not in the list and costs nothing; the
// heavy part of a query is just a shorter list. So exact scores, first stages and the inner product are one shader.
//
// Two kinds of scan write an upper bound instead of the score:
//
//   ceiling  the sum over the list, plus the smaller of two bounds on what the list leaves out: the length of the omitted
//            part of the query times the length of the document's (Cauchy–Schwarz), or a constant from the largest values of the
//            omitted cells
//   bytes    values are bytes that were rounded up; vectors are bytes with the length of their rounding error

import { KEY_OF } from "./wgsl.ts";

export interface ScanKind {
  readonly values: "float16" | "bytes";
  /** False: the inner product; indices are not read. */
  readonly isGated: boolean;
  readonly hasCeiling: boolean;
  readonly indexBytes: 1 | 2;
}

/** What can be tuned for a device. It changes the time of a scan, not its results. */
export interface ScanTuning {
  /** Threads in a workgroup. */
  readonly threads: number;
  /**
   * Threads that share the list for the same documents. One thread with all 896 entries runs almost as long as the whole
   * scan of its chunk, and the device idles while the last threads finish. With four parts there are four times as many
   * threads, each a quarter as long.
   */
  readonly parts: number;
  /** Entries per round of the loop. The list is padded to a multiple of it. */
  readonly unroll: number;
}

/** Tuned on an H200. A load of bytes brings twice as many slots, so it pays to have more loads in flight. */
export const SCAN_TUNING: Record<ScanKind["values"], ScanTuning> = {
  float16: { threads: 256, parts: 8, unroll: 2 },
  bytes: { threads: 256, parts: 8, unroll: 4 },
};

/** Documents per thread, so that every load of values has 16 bytes: memory is fastest that way. */
const docsOf = ({ values }: ScanKind): number => (values === "bytes" ? 16 : 8);

/** Size of a query's header, in pairs of words. The entries follow the headers, lexical ones first. */
export const HEADER_PAIRS = 8;

/** Storage buffers that each chunk of a dispatch needs. */
const bindingsOfChunk = ({ isGated, hasCeiling }: ScanKind): readonly string[] => [
  ...["values", "semantic", "keys"],
  ...(isGated ? ["indices"] : []),
  ...(hasCeiling ? ["lengths"] : []),
];
/** Storage buffers that a dispatch needs once: the queries, and which documents may be found. */
const BINDINGS_OF_ALL = 2;

/** Chunks per dispatch, as many as fit: dispatches wait for each other, and the device idles while each ends. */
export function chunksAtOnce(kind: ScanKind, storageBuffers: number): number {
  return Math.max(1, Math.floor((storageBuffers - BINDINGS_OF_ALL) / bindingsOfChunk(kind).length));
}

/** The bindings in order: what a dispatch needs once, then chunk by chunk. */
export function scanBindings<T>(
  kind: ScanKind,
  once: readonly [chunks: T, asked: T, allowed: T],
  chunks: readonly Readonly<Record<string, T>>[],
): T[] {
  return [...once, ...chunks.flatMap((chunk) => bindingsOfChunk(kind).map((name) => chunk[name]))];
}

/** For each chunk: threads for its stride, keys of a query in fours, its first word in `allowed`, workgroups. */
export function scanUniform(
  chunks: readonly { readonly first: number; readonly stride: number }[],
  kind: ScanKind,
  tuning: ScanTuning,
): number[] {
  const tile = scanTile(kind, tuning);
  return chunks.flatMap(({ first, stride }) => [
    stride / docsOf(kind),
    stride / 4,
    first / 32,
    stride / tile,
  ]);
}

export function scanShader(kind: ScanKind, chunks: number, semanticDims: number, tuning: ScanTuning): string {
  const { threads, parts } = tuning;
  const words = (bytesEach: number) => (docsOf(kind) * bytesEach === 8 ? "vec2<u32>" : "vec4<u32>");
  const valueBytes = kind.values === "bytes" ? 1 : 2;
  const types: Record<string, string> = {
    values: words(valueBytes),
    semantic: words(valueBytes),
    keys: "vec4<u32>",
    indices: words(kind.indexBytes),
    lengths: "vec4<f32>",
  };
  const all = Array.from({ length: chunks }, (_, i) => i);
  const own = bindingsOfChunk(kind);
  const declared = all.flatMap((i) =>
    own.map((name, j) => {
      const access = name === "keys" ? "read_write" : "read";
      return `@group(0) @binding(${3 + i * own.length + j}) var<storage, ${access}> ${name}${i}: array<${types[name]}>;`;
    }),
  );
  const shared = (docsOf(kind) / 4) * (threads - threads / parts) * sumsOf(kind).length;
  return /* wgsl */ `
@group(0) @binding(0) var<uniform> chunks: array<vec4<u32>, ${chunks}>;
@group(0) @binding(1) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> allowed: array<u32>;
${declared.join("\n")}
${KEY_OF}
fn key4(s: vec4<f32>, bits: u32) -> vec4<u32> {
  let keys = vec4<u32>(keyOf(s.x), keyOf(s.y), keyOf(s.z), keyOf(s.w));
  return select(vec4<u32>(0u), keys, (vec4<u32>(bits) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u));
}
${UNPACK}
${parts > 1 ? `var<workgroup> sums: array<vec4<f32>, ${shared}>;` : ""}
${all.map((i) => scanOf(i, kind, semanticDims, tuning)).join("\n")}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  var tile = group.x;
  ${all.map((i) => `if (tile < chunks[${i}].w) { scan${i}(tile, group.y, local); return; } tile -= chunks[${i}].w;`).join("\n  ")}
}`;
}

/** The sums that a thread holds for four documents: scores, and for a ceiling squared lengths. */
const sumsOf = ({ hasCeiling }: ScanKind): readonly string[] => (hasCeiling ? ["s", "l"] : ["s"]);

/** Repeats a line for each four documents of a thread. */
function each(kind: ScanKind, line: (four: number) => string): string {
  return Array.from({ length: docsOf(kind) / 4 }, (_, four) => line(four)).join("\n    ");
}

/** The function that scans a workgroup's documents in the i-th chunk of a dispatch. */
function scanOf(
  i: number,
  kind: ScanKind,
  semanticDims: number,
  { threads, parts, unroll }: ScanTuning,
): string {
  const { hasCeiling } = kind;
  const bytes = kind.values === "bytes";
  const perPart = threads / parts;
  const docs = docsOf(kind);
  return /* wgsl */ `
fn scan${i}(tile: u32, query: u32, local: u32) {
  // Strides are multiples of a workgroup's documents, so no index is out of range.
  let at = tile * ${perPart}u + local % ${perPart}u;
  let part = local / ${perPart}u;
  let stride = chunks[${i}].x;
  let header = query * ${HEADER_PAIRS}u;
  let list = asked[header];
  let semanticEnd = list.x + list.y + asked[header + 1u].x;
  ${sumsOf(kind)
    .map((name) => each(kind, (four) => `var ${name}${four} = vec4<f32>();`))
    .join(" ")}
  for (var e = list.x + list.y + part * ${unroll}u; e < semanticEnd; e += ${parts * unroll}u) {
    ${repeat(unroll, (u) => semanticStep(`e + ${u}u`, i, kind))}
  }
  ${bytes ? scaleSemantic(i, kind, semanticDims) : ""}
  for (var e = list.x + part * ${unroll}u; e < list.x + list.y; e += ${parts * unroll}u) {
    ${repeat(unroll, (u) => lexicalStep(`e + ${u}u`, i, kind))}
  }
  ${parts > 1 ? addParts(perPart, parts, kind) : ""}
  ${hasCeiling ? addLeftOut(i, kind) : ""}
  ${hasCeiling || bytes ? `let slack = bitcast<f32>(asked[header + 3u].x); ${each(kind, (four) => `s${four} += slack;`)}` : ""}
  let bits = allowed[chunks[${i}].z + at / ${32 / docs}u] >> ((at % ${32 / docs}u) * ${docs}u);
  let to = query * chunks[${i}].y + at * ${docs / 4}u;
  ${each(kind, (four) => `keys${i}[to + ${four}u] = key4(s${four}, bits >> ${4 * four}u);`)}
}`;
}

/** Unpacks words into four numbers, and compares four indices. */
const UNPACK = /* wgsl */ `
fn halves(x: u32, y: u32) -> vec4<f32> { return vec4<f32>(unpack2x16float(x), unpack2x16float(y)); }
fn bytes4(x: u32) -> vec4<f32> {
  return vec4<f32>((vec4<u32>(x) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u));
}
fn gate8(x: u32) -> vec4<bool> {
  return (vec4<u32>(x) & vec4<u32>(0xffu, 0xff00u, 0xff0000u, 0xff000000u)) == vec4<u32>(0u);
}
// 0xff for every byte that is 0: four gates for the price of two.
fn open8(x: u32) -> u32 {
  let zero = ~(((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x | 0x7f7f7f7fu);
  return (zero << 1u) - (zero >> 7u);
}
fn gate16(x: u32, y: u32) -> vec4<bool> {
  return (vec4<u32>(x, x, y, y) & vec4<u32>(0xffffu, 0xffff0000u, 0xffffu, 0xffff0000u)) == vec4<u32>(0u);
}`;

function repeat(times: number, step: (u: number) => string): string {
  return Array.from({ length: times }, (_, u) => `{ ${step(u)} }`).join("\n    ");
}

const LANES = ["x", "y", "z", "w"] as const;

/** The code that loads the words of a thread's documents, and by four documents the names of their words. */
function loaded(name: string, array: string, bytesEach: 1 | 2, kind: ScanKind) {
  const words = (docsOf(kind) * bytesEach) / 4;
  const loads = Math.ceil(words / 4);
  const at = (load: number) => (loads === 1 ? "place" : `place * ${loads}u + ${load}u`);
  const code = Array.from({ length: loads }, (_, load) => `let ${name}${load} = ${array}[${at(load)}];`);
  const word = (w: number) => `${name}${w >> 2}.${LANES[w & 3]}`;
  return {
    code: code.join(" "),
    of: (four: number) => Array.from({ length: bytesEach }, (_, w) => word(four * bytesEach + w)),
  };
}

/** Adds to the squared length of the document's part in the list. Entries with value 0 are padding. */
const SQUARES = (four: number) => `if (entry.y != 0u) { l${four} = fma(v, v, l${four}); }`;

function semanticStep(at: string, i: number, kind: ScanKind): string {
  const bytes = kind.values === "bytes";
  const { code, of } = loaded("h", `semantic${i}`, bytes ? 1 : 2, kind);
  // Bytes of vectors are stored with 128 added, so that they are unsigned, like the bytes of values.
  const vector = (four: number) =>
    bytes ? `bytes4(${of(four)[0]}) - 128.0` : `halves(${of(four).join(", ")})`;
  return `let entry = asked[${at}]; let place = entry.x * stride + at; ${code}
    let q = vec4<f32>(bitcast<f32>(entry.y));
    ${each(kind, (four) => `{ let v = ${vector(four)}; ${kind.hasCeiling ? SQUARES(four) : ""} s${four} = fma(q, v, s${four}); }`)}`;
}

function lexicalStep(at: string, i: number, kind: ScanKind): string {
  const { isGated, hasCeiling, indexBytes } = kind;
  const bytes = kind.values === "bytes";
  const values = loaded("h", `values${i}`, bytes ? 1 : 2, kind);
  const cells = loaded("c", `indices${i}`, indexBytes, kind);
  const isMasked = bytes && isGated && indexBytes === 1; // values and indices are both bytes, so the gate can be a mask
  const differ = (four: number) => cells.of(four).map((word) => `${word} ^ cell`);
  const gate = (four: number) =>
    indexBytes === 1 ? `gate8(${differ(four)[0]})` : `gate16(${differ(four).join(", ")})`;
  const value = (four: number) => {
    const [first, second] = values.of(four);
    if (!bytes) return `halves(${first}, ${second})`;
    return isMasked ? `bytes4(${first} & open8(${differ(four)[0]}))` : `bytes4(${first})`;
  };
  const weighed = (four: number) => (isGated && !isMasked ? `select(vec4<f32>(), v, ${gate(four)})` : "v");
  return `let entry = asked[${at}]; let place = (entry.x >> 16u) * stride + at; ${values.code}
    ${isGated ? `${cells.code} let cell = (entry.x & 0xffffu) * ${indexBytes === 1 ? "0x01010101u" : "0x00010001u"};` : ""}
    let q = vec4<f32>(bitcast<f32>(entry.y));
    ${each(kind, (four) => `{ let v = ${value(four)}; ${hasCeiling ? SQUARES(four) : ""} s${four} = fma(q, ${weighed(four)}, s${four}); }`)}`;
}

/** Byte vectors: sum · the document's scale + the query's length · the length of the document's rounding error, once. */
function scaleSemantic(i: number, kind: ScanKind, semanticDims: number): string {
  const quads = docsOf(kind) / 2;
  const facts = (j: number) => `bitcast<vec4<f32>>(semantic${i}[facts + ${j}u])`;
  return `let norm = select(0.0, bitcast<f32>(asked[header + 3u].y), part == 0u);
  let facts = ${semanticDims}u * stride + at * ${quads}u;
  ${each(
    kind,
    (four) => `{ let x = ${facts(2 * four)}; let y = ${facts(2 * four + 1)};
    s${four} = fma(s${four}, vec4<f32>(x.x, x.z, y.x, y.z), norm * vec4<f32>(x.y, x.w, y.y, y.w)); }`,
  )}`;
}

/** Adds the sums of all parts into the first one. Only the threads of the first part go on. */
function addParts(perPart: number, parts: number, kind: ScanKind): string {
  const fours = docsOf(kind) / 4;
  const names = sumsOf(kind).flatMap((name) => Array.from({ length: fours }, (_, four) => `${name}${four}`));
  const step = perPart * names.length;
  return `if (part > 0u) {
    let to = (part - 1u) * ${step}u + local % ${perPart}u;
    ${names.map((name, i) => `sums[to + ${i * perPart}u] = ${name};`).join(" ")}
  }
  workgroupBarrier();
  if (part > 0u) { return; }
  for (var from0 = local; from0 < ${(parts - 1) * step}u; from0 += ${step}u) {
    ${names.map((name, i) => `${name} += sums[from0 + ${i * perPart}u];`).join(" ")}
  }`;
}

/** Ceiling: adds the smaller bound on what the list leaves out. */
function addLeftOut(i: number, kind: ScanKind): string {
  return `let left = asked[header + 2u];
  ${each(
    kind,
    (
      four,
    ) => `{ let rest = sqrt(max(vec4<f32>(), lengths${i}[at * ${docsOf(kind) / 4}u + ${four}u] - l${four}));
    s${four} += min(vec4<f32>(bitcast<f32>(left.y)), bitcast<f32>(left.x) * rest); }`,
  )}`;
}

/** Documents per workgroup. */
export const scanTile = (kind: ScanKind, { threads, parts }: ScanTuning): number =>
  (threads / parts) * docsOf(kind);
