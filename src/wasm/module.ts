// A memory → the WebAssembly kernels that work on it. Addresses are bytes from the beginning of the memory. The comments
// in assembly/ say what each function does.

import { PLAIN, SHARED } from "./binary.ts";

export interface Kernels {
  dotsFloat16(query: number, vectors: number, dims: number, docs: number, count: number, dots: number): void;
  vectorRefine(
    query: number,
    vectors: number,
    dims: number,
    lanes: number,
    listed: number,
    terms: number,
    sums: number,
    threshold: number,
  ): number;
  copyListed(lanes: number, listed: number, from: number, to: number): void;
  weighCodes(values: number, weight: number, most: number, unit: number, table: number): void;
  weighCodesAsFloats(values: number, weight: number, most: number, factor: number, table: number): void;
  scatter(docs: number, codes: number, count: number, table: number, acc: number): void;
  lookUp(
    docs: number,
    codes: number,
    count: number,
    table: number,
    lanes: number,
    listed: number,
    sums: number,
  ): void;
  find(docs: number, count: number, lanes: number, listed: number, found: number): void;
  addExact(
    docs: number,
    codes: number,
    count: number,
    weight: number,
    values: number,
    lanes: number,
    listed: number,
    sums: number,
    notes: number,
  ): number;
  mark(lanes: number, listed: number, marks: number, isSet: number): void;
  addExactMarked(
    docs: number,
    codes: number,
    count: number,
    weight: number,
    values: number,
    marks: number,
    sums: number,
    notes: number,
  ): number;
  gatedSlices(slots: number, count: number, docs: number, acc: number): void;
  gatherSlices(slots: number, count: number, unit: number, lanes: number, listed: number, sums: number): void;
  openSlices(slots: number, count: number, docs: number, acc: number): void;
  unpackList(
    list: number,
    end: number,
    count: number,
    docs: number,
    classes: number,
    starts: number,
    classValues: number,
    lanes: number,
    values: number,
    top: number,
  ): number;
  planeScan(
    codes: number,
    scales: number,
    width: number,
    docs: number,
    query: number,
    unit: number,
    bias: number,
    sums: number,
  ): void;
  planeRefine(
    codes: number,
    scales: number,
    width: number,
    query: number,
    unit: number,
    bias: number,
    tails: number,
    tailWeight: number,
    lanes: number,
    listed: number,
    sums: number,
    threshold: number,
  ): number;
  scanNibbles(
    codes: number,
    parts: number,
    docs: number,
    tables: number,
    scale: number,
    bias: number,
    sums: number,
  ): void;
  scanBytes(codes: number, parts: number, docs: number, tables: number, sums: number): void;
  nearestCentroids(
    bounds: number,
    stride: number,
    docs: number,
    columns: number,
    values: number,
    codebook: number,
    halves: number,
    count: number,
    nothing: number,
    codes: number,
  ): void;
  rotate(vectors: number, count: number, width: number, matrix: number, out: number): void;
  rotateOne(vector: number, width: number, matrix: number, out: number): void;
  countReaching(acc: number, count: number, step: number, least: number): number;
  weighSums(acc: number, docs: number, unit: number, sums: number): void;
  scaleAndAdd(values: number, docs: number, factors: number, sums: number): void;
  excludeUnset(bits: number, docs: number, sums: number): void;
  reaching(
    sums: number,
    docs: number,
    tails: number,
    tailWeight: number,
    threshold: number,
    lanes: number,
    most: number,
  ): number;
  kthLargest(sums: number, docs: number, k: number, scratch: number): number;
  sumRows(rows: number, weights: number, count: number, dims: number, sum: number): number;
  scaleSum(sum: number, dims: number, factor: number, vector: number): void;
}

const compiled = new Map<string, WebAssembly.Module>();

/** @internal The kernels for one memory. The module is small, so it is compiled synchronously, at first use. */
export function instantiate(memory: WebAssembly.Memory, isShared: boolean): Kernels {
  const text = isShared ? SHARED : PLAIN;
  let module = compiled.get(text);
  if (!module) {
    module = new WebAssembly.Module(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)));
    compiled.set(text, module);
  }
  return new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as Kernels;
}
