// The keys that a scan wrote → the k best, without waiting for the host in between:
//
//   count    makes a histogram of the keys, finest where the best can be (see binOf)
//   pick     finds the lowest bin that is needed: it and those above hold at least k documents
//   collect  lists every document of those bins, with its key: k and a few more
//   rank     finds the k best of these exactly, digit by digit, in one workgroup; equal scores go to the lower document
//
// A scan writes one buffer of keys for each chunk; a shader sees as many of them at once as the device can bind.
// Every step serves many queries: the second coordinate of a workgroup is the query.

import { HEADER_PAIRS } from "./scan-shader.ts";
import { BIN_OF, BINS } from "./wgsl.ts";

/** Words of a query's state, which `pick` and `collect` write for the next step. */
export const STATE_WORDS = 4;

/**
 * Keys that a workgroup of `count` and `collect` reads. Fewer mean more workgroups, each with a histogram to clear
 * and add.
 */
const KEYS_PER_GROUP = 16_384;

const THREADS = 256;

/** Header of a ranked list, in pairs: (count, lowest key), those two of the first stage, (collected, 0), unused. */
export const LIST_HEADER_PAIRS = 4;

/** A chunk of keys: its first document, and how many documents it has with padding. */
interface KeyChunk {
  readonly first: number;
  readonly stride: number;
}

/** Workgroups that `count` and `collect` need for these chunks. */
export function keyGroups(chunks: readonly KeyChunk[]): number {
  return chunks.reduce((sum, { stride }) => sum + Math.ceil(stride / KEYS_PER_GROUP), 0);
}

/** Declares the buffers of keys, from binding number `binding` on, and a function that reads four keys of a chunk. */
function keyBuffers(chunks: readonly KeyChunk[], binding: number): string {
  const cases = chunks.map((_, i) => `case ${i}u: { return keys${i}[at]; }`).join(" ");
  return `${chunks
    .map((_, i) => `@group(0) @binding(${binding + i}) var<storage, read> keys${i}: array<vec4<u32>>;`)
    .join("\n")}
fn keysAt(chunk: u32, at: u32) -> vec4<u32> { switch (chunk) { ${cases} default: { return vec4<u32>(0u); } } }`;
}

/** Finds the chunk that a workgroup reads, and where in it: sets chunk, tile, stride, first. */
function findTile(chunks: readonly KeyChunk[]): string {
  let groups = 0;
  const steps = chunks.map(({ first, stride }, i) => {
    const step = `if (group.x >= ${groups}u) { chunk = ${i}u; tile = group.x - ${groups}u; stride = ${stride}u; first = ${first}u; }`;
    groups += Math.ceil(stride / KEYS_PER_GROUP);
    return step;
  });
  return `var chunk = 0u; var tile = 0u; var stride = 0u; var first = 0u;\n  ${steps.join("\n  ")}`;
}

const EACH_FOUR = (body: string) => /* wgsl */ `
  for (var i = local; i < ${KEYS_PER_GROUP / 4}u; i += ${THREADS}u) {
    let four = tile * ${KEYS_PER_GROUP / 4}u + i;
    if (four * 4u < stride) {
      let k = keysAt(chunk, group.y * (stride / 4u) + four);
      ${body}
    }
  }`;

export function countShader(chunks: readonly KeyChunk[]): string {
  return /* wgsl */ `
@group(0) @binding(0) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
${keyBuffers(chunks, 2)}
${BIN_OF}
var<workgroup> bins: array<atomic<u32>, ${BINS}>;
fn add(key: u32, low: u32) {
  let bin = binOf(key, low);
  if (bin > 0u) { atomicAdd(&bins[bin], 1u); }
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  ${findTile(chunks)}
  let low = asked[group.y * ${HEADER_PAIRS}u + 5u].x;
  ${EACH_FOUR("add(k.x, low); add(k.y, low); add(k.z, low); add(k.w, low);")}
  workgroupBarrier();
  for (var bin = local; bin < ${BINS}u; bin += ${THREADS}u) {
    let n = atomicLoad(&bins[bin]);
    if (n > 0u) { atomicAdd(&counts[group.y * ${BINS}u + bin], n); }
  }
}`;
}

/**
 * Finds the highest bin at which the count from above reaches `need`. Writes `found` = (bin, count above it); the bin is 0
 * if `need` is never reached. All threads of the workgroup must call it.
 */
function findBin(threads: number): string {
  const each = BINS / threads;
  return /* wgsl */ `
var<workgroup> sums: array<u32, ${threads}>;
var<workgroup> found: vec2<u32>;
fn findBin(local: u32, need: u32) {
  var mine = 0u;
  for (var i = 0u; i < ${each}u; i++) { mine += binCount(local * ${each}u + i); }
  sums[local] = mine;
  if (local == 0u) { found = vec2<u32>(0u, 0xffffffffu); }
  workgroupBarrier();
  for (var step = 1u; step < ${threads}u; step *= 2u) {
    var more = 0u;
    if (local + step < ${threads}u) { more = sums[local + step]; }
    workgroupBarrier();
    sums[local] += more;
    workgroupBarrier();
  }
  var above = sums[local] - mine;
  if (above < need && sums[local] >= need) {
    for (var i = ${each}u; i > 0u; i--) {
      let bin = local * ${each}u + i - 1u;
      let n = binCount(bin);
      if (above + n >= need) { found = vec2<u32>(bin, above); break; }
      above += n;
    }
  }
  workgroupBarrier();
}`;
}

/** Finds the bin of each query that the k-th best key is in, and how many keys are in higher bins. */
export function findBinShader(): string {
  return /* wgsl */ `
@group(0) @binding(0) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> state: array<u32>;
var<private> base: u32;
fn binCount(bin: u32) -> u32 { return counts[base + bin]; }
${findBin(THREADS)}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  base = group.y * ${BINS}u;
  findBin(local, asked[group.y * ${HEADER_PAIRS}u + 4u].x);
  if (local == 0u) {
    state[group.y * ${STATE_WORDS}u] = found.x;
    state[group.y * ${STATE_WORDS}u + 1u] = 0u;
  }
  // Clears the counts for the next search.
  for (var bin = local; bin < ${BINS}u; bin += ${THREADS}u) { counts[base + bin] = 0u; }
}`;
}

/** A query's list holds `capacity` documents. The count goes on beyond, so that the host notices an overflow. */
export function collectShader(chunks: readonly KeyChunk[]): string {
  const test = (lane: string) => `take(k.${lane}, low, least, bin)`;
  return /* wgsl */ `
@group(0) @binding(0) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> state: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> list: array<vec2<u32>>;
${keyBuffers(chunks, 3)}
${BIN_OF}
var<workgroup> taken: atomic<u32>;
var<workgroup> start: u32;
fn take(key: u32, low: u32, least: u32, bin: u32) -> bool { return key >= least && binOf(key, low) >= bin; }
fn put(at: u32, query: u32, capacity: u32, doc: u32, key: u32) {
  if (at < capacity) { list[query * capacity + at] = vec2<u32>(doc, ~key); }
}
@compute @workgroup_size(${THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  ${findTile(chunks)}
  let header = group.y * ${HEADER_PAIRS}u;
  let low = asked[header + 5u].x;
  let least = asked[header + 5u].y;
  let capacity = asked[header + 6u].x;
  let bin = atomicLoad(&state[group.y * ${STATE_WORDS}u]);
  var mine = 0u;
  ${EACH_FOUR(`mine += u32(${test("x")}) + u32(${test("y")}) + u32(${test("z")}) + u32(${test("w")});`)}
  var at = 0u;
  if (mine > 0u) { at = atomicAdd(&taken, mine); }
  workgroupBarrier();
  if (local == 0u) {
    let all = atomicLoad(&taken);
    if (all > 0u) { start = atomicAdd(&state[group.y * ${STATE_WORDS}u + 1u], all); }
  }
  workgroupBarrier();
  if (mine == 0u) { return; }
  at += start;
  ${EACH_FOUR(
    ["x", "y", "z", "w"]
      .map(
        (lane, i) =>
          `if (${test(lane)}) { put(at, group.y, capacity, first + four * 4u + ${i}u, k.${lane}); at++; }`,
      )
      .join("\n      "),
  )}
}`;
}

/** The largest k that the device sorts: its pairs of words fit into the memory of the bins. Above it the host sorts. */
export const SORTED = BINS / 2;

interface RankingShader {
  /** From what `collect` wrote, or from a ranked list whose keys were computed again. */
  readonly from: "collected" | "rescored";
  readonly threads: number;
}

/**
 * The best of a list, sorted if they are at most SORTED. It first finds the bits in which keys differ at all, since the
 * keys of the best share their leading bits. Then it takes eleven bits at a time, until everything left in a bin is needed.
 * Documents with equal keys are selected the same way by their numbers, complemented, so that larger is better there too.
 */
export function rankShader({ from, threads }: RankingShader): string {
  const isRescored = from === "rescored";
  return /* wgsl */ `
@group(0) @binding(0) var<storage, read> asked: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> list: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> ranked: array<vec2<u32>>;
var<workgroup> bins: array<atomic<u32>, ${BINS}>;
var<workgroup> differing: atomic<u32>;
var<workgroup> out: atomic<u32>;
var<workgroup> lowest: atomic<u32>;
var<workgroup> shared0: u32;
fn binCount(bin: u32) -> u32 { return atomicLoad(&bins[bin]); }
${findBin(threads)}
fn upper(x: u32, shift: u32) -> u32 { return select(x >> shift, 0u, shift >= 32u); }
fn isKept(item: vec2<u32>, key: u32, keyShift: u32, doc: u32, docShift: u32) -> bool {
  let a = upper(~item.y, keyShift); let b = upper(key, keyShift);
  return a > b || (a == b && (keyShift > 0u || upper(~item.x, docShift) >= upper(doc, docShift)));
}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let header = group.y * ${HEADER_PAIRS}u;
  let sizes = asked[header + 4u]; // wanted of the first stage, and of the second
  let capacity = asked[header + 6u].x;
  let base = group.y * ${isRescored ? `(sizes.x + ${LIST_HEADER_PAIRS}u)` : "capacity"};
  let collected = state[group.y * ${STATE_WORDS}u + 1u];
  let n = ${isRescored ? "list[base].x" : "min(collected, capacity)"};
  let wanted = sizes.${isRescored ? "y" : "x"};
  let items = base + ${isRescored ? LIST_HEADER_PAIRS : 0}u;
  // Kept are keys above 'key' in the bits from 'keyShift' on; of keys equal there, documents by 'doc' and 'docShift' likewise.
  var key = 0u; var keyShift = 32u; var doc = 0u; var docShift = 32u;
  if (local == 0u) { atomicStore(&lowest, 0xffffffffu); }
  if (n > wanted) {
    let reference = ~list[items].y;
    var mine = 0u;
    for (var i = local; i < n; i += ${threads}u) { mine |= reference ^ ~list[items + i].y; }
    if (mine != 0u) { atomicOr(&differing, mine); }
    workgroupBarrier();
    if (local == 0u) { shared0 = atomicLoad(&differing); }
    keyShift = 32u - countLeadingZeros(workgroupUniformLoad(&shared0));
    key = select((reference >> keyShift) << keyShift, 0u, keyShift >= 32u);
    var need = wanted;
    var more = true;
    var byDoc = false;
    while (more) {
      for (var bin = local; bin < ${BINS}u; bin += ${threads}u) { atomicStore(&bins[bin], 0u); }
      workgroupBarrier();
      let bits = select(keyShift, docShift, byDoc);
      let to = bits - min(bits, 11u);
      let mask = (1u << (bits - to)) - 1u;
      if (bits > 0u) {
        for (var i = local; i < n; i += ${threads}u) {
          let item = list[items + i];
          let k = ~item.y; let d = ~item.x;
          let isIn = select(upper(k, keyShift) == upper(key, keyShift), k == key && upper(d, docShift) == upper(doc, docShift), byDoc);
          if (isIn) { atomicAdd(&bins[(select(k, d, byDoc) >> to) & mask], 1u); }
        }
      }
      workgroupBarrier();
      if (bits > 0u) {
        findBin(local, need);
        let bin = workgroupUniformLoad(&found);
        if (local == 0u) { shared0 = binCount(bin.x); }
        let inBin = workgroupUniformLoad(&shared0);
        need -= bin.y;
        if (byDoc) { doc |= bin.x << to; docShift = to; } else { key |= bin.x << to; keyShift = to; }
        more = inBin != need;
      }
      if (more && !byDoc && keyShift == 0u) { byDoc = true; }
      if (byDoc && docShift == 0u) { more = false; }
    }
  }
  workgroupBarrier();
  let goal = group.y * (wanted + ${LIST_HEADER_PAIRS}u) + ${LIST_HEADER_PAIRS}u;
  let sorts = wanted <= ${SORTED}u;
  if (sorts) {
    for (var i = local; i < ${BINS}u; i += ${threads}u) { atomicStore(&bins[i], 0xffffffffu); }
    workgroupBarrier();
  }
  // Counts first and then writes: one atomic addition a thread, not one a document.
  var mine = 0u; var least = 0xffffffffu;
  for (var i = local; i < n; i += ${threads}u) {
    let item = list[items + i];
    if (isKept(item, key, keyShift, doc, docShift)) { mine++; least = min(least, ~item.y); }
  }
  if (mine > 0u) {
    atomicMin(&lowest, least);
    var at = atomicAdd(&out, mine);
    for (var i = local; i < n; i += ${threads}u) {
      let item = list[items + i];
      if (isKept(item, key, keyShift, doc, docShift)) {
        if (at < wanted) {
          if (sorts) {
            atomicStore(&bins[2u * at], item.x);
            atomicStore(&bins[2u * at + 1u], item.y);
          } else {
            ranked[goal + at] = item;
          }
        }
        at++;
      }
    }
  }
  workgroupBarrier();
  if (sorts) {
    // Bitonic sort: swaps pairs at growing and shrinking distances, up or down, until all are in order.
    let all = 1u << (32u - countLeadingZeros(max(wanted, 2u) - 1u));
    for (var size = 2u; size <= all; size *= 2u) {
      for (var apart = size / 2u; apart > 0u; apart /= 2u) {
        for (var i = local; i < all / 2u; i += ${threads}u) {
          let a = 2u * i - (i & (apart - 1u));
          let b = a + apart;
          let x = vec2<u32>(atomicLoad(&bins[2u * a]), atomicLoad(&bins[2u * a + 1u]));
          let y = vec2<u32>(atomicLoad(&bins[2u * b]), atomicLoad(&bins[2u * b + 1u]));
          let isAfter = x.y > y.y || (x.y == y.y && x.x > y.x);
          if (isAfter == ((a & size) == 0u)) {
            atomicStore(&bins[2u * a], y.x); atomicStore(&bins[2u * a + 1u], y.y);
            atomicStore(&bins[2u * b], x.x); atomicStore(&bins[2u * b + 1u], x.y);
          }
        }
        workgroupBarrier();
      }
    }
    for (var i = local; i < min(atomicLoad(&out), wanted); i += ${threads}u) {
      ranked[goal + i] = vec2<u32>(atomicLoad(&bins[2u * i]), atomicLoad(&bins[2u * i + 1u]));
    }
  }
  if (local == 0u) {
    let to = goal - ${LIST_HEADER_PAIRS}u;
    ranked[to] = vec2<u32>(min(atomicLoad(&out), wanted), atomicLoad(&lowest));
    ranked[to + 1u] = ${isRescored ? "vec2<u32>(list[base].x, list[base].y)" : "vec2<u32>(0u, 0u)"};
    ranked[to + 2u] = vec2<u32>(collected, 0u);
  }
}`;
}
