// Every kernel agrees with a few plain lines of TypeScript that compute the same, at sizes on both sides of every vector
// width and tile: integers exactly, floats within a bound that grows with the number of additions.

import { describe, expect, test } from "vitest";
import { dotFloat16 } from "../rank/dot.ts";
import { toFloat16 } from "../support/numbers/float16.ts";
import { mulberry32 } from "../support/numbers/random.ts";
import { fromShortFloat, toShortFloat } from "../support/numbers/short-float.ts";
import { Arena } from "./arena.ts";

const random = mulberry32(5);
const whole = (below: number) => Math.floor(random() * below);

/** An arena, and a function that copies an array into it. */
function workbench(shared = false) {
  const arena = new Arena(2 ** 24, shared);
  const put = <
    T extends
      | Uint8Array
      | Int8Array
      | Uint16Array
      | Int16Array
      | Uint32Array
      | Int32Array
      | Float32Array
      | Float64Array,
  >(
    array: T,
  ) => {
    const address = arena.allocate(array.byteLength);
    const view = arena.view(
      array.constructor as new (
        b: ArrayBufferLike,
        o: number,
        n: number,
      ) => T,
      address,
      array.length,
    );
    view.set(array as never);
    return { address, view };
  };
  return { kernels: arena.kernels, put };
}

const floats = (length: number) => Float32Array.from({ length }, () => random() * 2 - 1);
const shorts = (length: number) => Uint16Array.from(floats(length), (x) => toShortFloat(Math.abs(x)));
const bytes = (length: number) => Uint8Array.from({ length }, () => whole(256));
const padded = (docs: number) => Math.ceil(docs / 16) * 16;

/** Some of the numbers below `docs`, ascending. */
function someLanes(docs: number, share: number): Uint32Array {
  return Uint32Array.from({ length: docs }, (_, doc) => doc).filter(() => random() < share);
}

for (const shared of [false, true]) {
  describe(shared ? "on a shared memory" : "on a memory of its own", () => {
    test.each([0, 1, 3, 4, 5, 7, 8, 100, 1000])("scatter: %i postings", (count) => {
      const { kernels, put } = workbench(shared);
      const docs = Uint16Array.from({ length: count }, (_, i) => (i * 7919) & 0xffff);
      const codes = bytes(count);
      const table = Int32Array.from({ length: 256 }, () => whole(2 ** 20));
      const expected = new Int32Array(65_536);
      for (let i = 0; i < count; i++) expected[docs[i]] += table[codes[i]];
      const acc = put(new Int32Array(65_536));
      kernels.scatter(put(docs).address, put(codes).address, count, put(table).address, acc.address);
      expect(acc.view).toEqual(expected);
    });

    test("weighCodes and weighCodesAsFloats: what each code adds, to the last bit", () => {
      const { kernels, put } = workbench(shared);
      const values = put(Float64Array.from({ length: 256 }, (_, code) => (code < 3 ? 0 : random())));
      const [table, floats32] = [put(new Int32Array(256)), put(new Float32Array(256))];
      for (let round = 0; round < 50; round++) {
        const weight = 10 * random();
        const most = weight * random();
        const unit = most * 2 ** (-30 * random());
        const factor = 1 + 2 ** -20;
        kernels.weighCodes(values.address, weight, most, unit, table.address);
        kernels.weighCodesAsFloats(values.address, weight, most, factor, floats32.address);
        const worths = Array.from(values.view, (value) => Math.min(most, weight * value));
        expect(table.view).toEqual(Int32Array.from(worths, (worth) => Math.ceil(worth / unit)));
        expect(floats32.view).toEqual(Float32Array.from(worths, (worth) => worth * factor));
      }
    });

    test.each([
      [0, 10],
      [1, 1],
      [50, 0],
      [1000, 3],
      [3, 1000],
      [1000, 1000],
    ])("lookUp: %i postings, about %i documents", (count, listed) => {
      const { kernels, put } = workbench(shared);
      const docs = Uint16Array.from(
        [...new Set(Array.from({ length: count }, () => whole(3000)))].sort((a, b) => a - b),
      );
      const codes = bytes(docs.length);
      const table = Float32Array.from({ length: 256 }, random);
      const lanes = someLanes(3000, listed / 3000);
      const sums = put(new Float32Array(3000));
      const expected = new Float32Array(3000);
      for (const [i, doc] of docs.entries()) if (lanes.includes(doc)) expected[doc] = table[codes[i]];
      const args = [put(docs).address, put(codes).address, docs.length, put(table).address] as const;
      kernels.lookUp(...args, put(lanes).address, lanes.length, sums.address);
      expect(sums.view).toEqual(expected);
      const found = put(new Int32Array(lanes.length));
      kernels.find(args[0], docs.length, put(lanes).address, lanes.length, found.address);
      expect(found.view).toEqual(Int32Array.from(lanes, (lane) => docs.indexOf(lane)));
    });

    test.each([
      [0, 10],
      [1, 1],
      [50, 0],
      [1000, 3],
      [3, 1000],
      [1000, 1000],
    ])("addExact: %i postings, about %i documents", (count, listed) => {
      const { kernels, put } = workbench(shared);
      const docs = Uint16Array.from(
        [...new Set(Array.from({ length: count }, () => whole(3000)))].sort((a, b) => a - b),
      );
      const codes = bytes(docs.length);
      const table = Float64Array.from({ length: 256 }, (_, code) => (code % 5 === 1 ? -1 : random()));
      const lanes = someLanes(3000, listed / 3000);
      const before = Float64Array.from(lanes, random);
      const expected = before.slice();
      const noted: number[] = [];
      for (const [i, lane] of lanes.entries()) {
        const at = docs.indexOf(lane);
        if (at < 0) continue;
        const value = table[codes[at]];
        if (value < 0) noted.push(i, at);
        else expected[i] += 0.7 * value;
      }
      const list = [put(docs).address, put(codes).address, docs.length, 0.7, put(table).address] as const;
      const { address } = put(lanes);
      const [sums, notes] = [put(before), put(new Int32Array(2 * lanes.length))];
      const marks = put(new Int32Array(3000));
      expect(kernels.addExact(...list, address, lanes.length, sums.address, notes.address)).toBe(
        noted.length / 2,
      );
      expect(sums.view).toEqual(expected);
      expect([...notes.view].slice(0, noted.length)).toEqual(noted);
      sums.view.set(before);
      notes.view.fill(0);
      kernels.mark(address, lanes.length, marks.address, 1);
      expect(kernels.addExactMarked(...list, marks.address, sums.address, notes.address)).toBe(
        noted.length / 2,
      );
      kernels.mark(address, lanes.length, marks.address, 0);
      expect(sums.view).toEqual(expected);
      expect([...notes.view].slice(0, noted.length)).toEqual(noted);
      expect(marks.view.every((mark) => mark === 0)).toBe(true);
    });

    test.each([1, 2, 7, 100])("countReaching: every %i-th sum", (step) => {
      const { kernels, put } = workbench(shared);
      const sums = Int32Array.from({ length: 1600 }, () => whole(20));
      const count = Math.ceil(sums.length / step);
      const { address } = put(sums);
      for (const least of [0, 1, 10, 19, 20]) {
        const expected = sums.filter((sum, doc) => doc % step === 0 && sum >= least).length;
        expect(kernels.countReaching(address, count, step, least)).toBe(expected);
      }
    });

    test.each([
      [16, 16],
      [16, 64],
      [64, 32],
      [1008, 48],
      [80, 512],
    ])("planes: %i documents of %i dimensions", (docs, width) => {
      const { kernels, put } = workbench(shared);
      const codes = Int8Array.from({ length: docs * width }, () => whole(255) - 127);
      const most = Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * width)));
      const query = Int16Array.from({ length: width }, () => whole(2 * most + 1) - most);
      const [scales, tails, before] = [shorts(docs), shorts(docs), floats(docs)];
      const [unit, bias] = [1e-6, 0.25];
      const expected = before.map((sum, doc) => {
        let dot = 0;
        for (let i = 0; i < width; i++) dot += codes[doc * width + i] * query[i];
        return sum + fromShortFloat(scales[doc]) * (unit * dot + bias);
      });
      const [c, s, q] = [put(codes).address, put(scales).address, put(query).address];
      const sums = put(before);
      kernels.planeScan(c, s, width, docs, q, unit, bias, sums.address);
      // int32 products are exact; three float32 roundings follow, on numbers of at most this size.
      const bound = (1 + 127 * most * width * unit) * 2 ** -21;
      for (let doc = 0; doc < docs; doc++)
        expect(Math.abs(sums.view[doc] - expected[doc])).toBeLessThan(bound);

      for (const share of [0, 0.1, 0.5, 1]) {
        for (const last of [false, true]) {
          const lanes = someLanes(docs, share);
          const refined = put(before);
          const list = put(lanes);
          const t = last ? 0 : put(tails).address;
          const rest = [t, 0.5, list.address, lanes.length, refined.address, 0.1] as const;
          const left = kernels.planeRefine(c, s, width, q, unit, bias, ...rest);
          const tail = (doc: number) => (last ? 0 : Math.fround(0.5 * fromShortFloat(tails[doc])));
          const reach = (doc: number) => refined.view[doc] + tail(doc);
          for (const doc of lanes) expect(Math.abs(refined.view[doc] - expected[doc])).toBeLessThan(bound);
          expect([...list.view.subarray(0, left)]).toEqual(
            [...lanes].filter((doc) => Math.fround(reach(doc)) >= Math.fround(0.1)),
          );
        }
      }
    });

    test.each([1, 3, 4, 5, 8, 17, 96])("vectors of %i dims, one by one", (dims) => {
      const docs = 300;
      const halves = Uint16Array.from({ length: docs * dims }, () => toFloat16(random() - 0.5));
      const query = floats(dims);
      const terms = floats(docs);
      for (const share of [0, 0.01, 0.02, 0.5, 1]) {
        const { kernels, put } = workbench(shared);
        const lanes = someLanes(docs, share);
        const [list, kept, sums] = [put(lanes), put(new Float32Array(docs)), put(terms)];
        kernels.copyListed(list.address, lanes.length, sums.address, kept.address);
        for (const doc of sums.view.keys()) expect(kept.view[doc]).toBe(lanes.includes(doc) ? terms[doc] : 0);
        sums.view.fill(-7);
        const [q, v] = [put(query).address, put(halves).address];
        const args = [list.address, lanes.length, kept.address, sums.address, 0.1] as const;
        const left = kernels.vectorRefine(q, v, dims, ...args);
        for (const doc of sums.view.keys()) {
          const dot = dotFloat16(query, halves, doc * dims);
          const expected = lanes.includes(doc) ? terms[doc] + dot : -7;
          expect(Math.abs(sums.view[doc] - expected)).toBeLessThan(dims * 2 ** -22);
        }
        expect([...list.view.subarray(0, left)]).toEqual(
          [...lanes].filter((doc) => sums.view[doc] >= Math.fround(0.1)),
        );
      }
    });

    test.each([1, 15, 16, 17, 31, 33, 1000])("sums of %i documents", (docs) => {
      const { kernels, put } = workbench(shared);
      const acc = put(Int32Array.from({ length: padded(docs) }, () => whole(2 ** 30)));
      const sums = put(new Float32Array(padded(docs)));
      const expected = Float32Array.from(acc.view, (x) => Math.fround(Math.fround(x) * 0.25));
      kernels.weighSums(acc.address, padded(docs), 0.25, sums.address);
      expect(sums.view).toEqual(expected);
      expect(acc.view.every((x) => x === 0)).toBe(true);

      const bits = Uint32Array.from({ length: Math.ceil(docs / 32) }, () => whole(2 ** 32));
      kernels.excludeUnset(put(bits).address, docs, sums.address);
      const allowed = (doc: number) => ((bits[doc >>> 5] >>> (doc & 31)) & 1) === 1;
      for (let doc = 0; doc < docs; doc++) {
        expect(sums.view[doc]).toBe(allowed(doc) ? expected[doc] : Number.NEGATIVE_INFINITY);
      }

      const values = put(floats(padded(docs)));
      const [factors, added] = [put(floats(padded(docs))), put(floats(padded(docs)))];
      const scaled = put(values.view);
      kernels.scaleAndAdd(scaled.address, padded(docs), factors.address, added.address);
      expect(scaled.view).toEqual(
        values.view.map((x, doc) => Math.fround(Math.fround(x * factors.view[doc]) + added.view[doc])),
      );
      const tails = put(shorts(padded(docs)));
      const lanes = put(new Uint32Array(padded(docs)));
      for (const threshold of [-2, 0, 0.5, 2]) {
        const listed = kernels.reaching(values.address, docs, 0, 0, threshold, lanes.address, docs);
        const all = [...values.view.subarray(0, docs).keys()];
        expect([...lanes.view.subarray(0, listed)]).toEqual(
          all.filter((doc) => values.view[doc] >= threshold),
        );
        const more = kernels.reaching(
          values.address,
          docs,
          tails.address,
          0.5,
          threshold,
          lanes.address,
          docs,
        );
        const tail = (doc: number) => Math.fround(fromShortFloat(tails.view[doc]) * 0.5);
        const most = (doc: number) => Math.fround(values.view[doc] + tail(doc));
        expect([...lanes.view.subarray(0, more)]).toEqual(all.filter((doc) => most(doc) >= threshold));
        for (const most of [0, 1, Math.floor(more / 2), Math.max(0, more - 1)]) {
          const cut = put(new Uint32Array(padded(docs)));
          const { address } = tails;
          expect(kernels.reaching(values.address, docs, address, 0.5, threshold, cut.address, most)).toBe(
            more,
          );
          expect(cut.view.subarray(0, Math.min(most, more))).toEqual(
            lanes.view.subarray(0, Math.min(most, more)),
          );
        }
      }
      const heap = put(new Float32Array(docs));
      for (const k of [1, 2, 10, docs - 1, docs].filter((k) => k >= 1 && k <= docs)) {
        const ranked = [...values.view.subarray(0, docs)].sort((a, b) => b - a);
        expect(kernels.kthLargest(values.address, docs, k, heap.address)).toBe(ranked[k - 1]);
      }
      expect(kernels.kthLargest(values.address, docs, docs + 1, heap.address)).toBe(Number.NEGATIVE_INFINITY);
    });

    test.each<[string, (doc: number) => number]>([
      ["random", () => random() * 8 - 4],
      ["mostly excluded", () => (random() < 0.9 ? Number.NEGATIVE_INFINITY : random())],
      ["mostly zero", () => (random() < 0.97 ? 0 : random() * 20)],
      ["ascending", (doc) => doc],
      ["in waves that a sample may miss", (doc) => (doc % 20 === 0 ? 0 : 1 + random())],
      ["all equal", () => 3],
      ["one far above", (doc) => (doc === 77 ? 1e30 : random())],
    ])("kthLargest of many, %s: k sums reach it, and it is at most a bucket too low", (_, sumOf) => {
      const { kernels, put } = workbench(shared);
      for (const docs of [4095, 4096, 5003]) {
        const values = put(Float32Array.from({ length: padded(docs) }, (_, doc) => sumOf(doc)));
        const room = put(new Float32Array(docs));
        const ranked = [...values.view.subarray(0, docs)].sort((a, b) => b - a);
        for (const k of [128, 129, 500, 2000, docs - 1, docs]) {
          const found = kernels.kthLargest(values.address, docs, k, room.address);
          expect(ranked.filter((value) => value >= found).length).toBeGreaterThanOrEqual(k);
          const finite = ranked.filter((value) => value > Number.NEGATIVE_INFINITY);
          const bucket = (finite[0] - finite[finite.length - 1]) / 2047;
          expect(found).toBeGreaterThanOrEqual(ranked[k - 1] - bucket * 1.001);
        }
      }
    });

    test.each([16, 48, 128])("rotate: %i dimensions", (width) => {
      const { kernels, put } = workbench(shared);
      const matrix = floats(width * width);
      const vectors = floats(8 * width);
      const out = put(new Float32Array(8 * width));
      const [v, m] = [put(vectors), put(matrix)];
      kernels.rotate(v.address, 8, width, m.address, out.address);
      for (let n = 0; n < 8; n++) {
        const one = put(new Float32Array(width));
        kernels.rotateOne(v.address + n * width * 4, width, m.address, one.address);
        for (let row = 0; row < width; row++) {
          let sum = 0;
          for (let i = 0; i < width; i++) sum += matrix[i * width + row] * vectors[n * width + i];
          expect(Math.abs(out.view[n * width + row] - sum)).toBeLessThan(width * width * 2 ** -24);
          expect(Math.abs(one.view[row] - sum)).toBeLessThan(width * width * 2 ** -24);
        }
      }
    });
  });
}
