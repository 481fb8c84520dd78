// A posting list of gaps. Input: the documents of its window, one less, in two bytes, and the list. The kernel and the plain
// definition refuse it alike, or find the same postings, and the kernel writes nothing beside the sums.

import { RowsBuilder } from "../../../src/densify/rows.ts";
import { cutIntoGapLists, readGapList } from "../../../src/segment/lexical/gap-lists.ts";
import { SluiceError } from "../../../src/support/errors/sluice-error.ts";
import { roundToFloat16 } from "../../../src/support/numbers/float16.ts";
import { mulberry32 } from "../../../src/support/numbers/random.ts";
import { Arena } from "../../../src/wasm/arena.ts";
import { outcome, requireSameOutcome, type Target, WrongAnswer } from "../contract/target.ts";

const [MOST_DOCS, MOST_BYTES, WEIGHT, GUARD, GUARDS] = [65_536, 4096, 3, 77, 64];

const arena = new Arena(2 ** 20);
const list = arena.allocate(MOST_BYTES);
const acc = arena.allocate(4 * (MOST_DOCS + GUARDS));

function seed(docs: number, holds: (doc: number, random: () => number) => boolean): Uint8Array {
  const random = mulberry32(docs);
  const builder = new RowsBuilder(1, 1);
  for (let doc = 0; doc < docs; doc++) {
    const slots = Number(holds(doc, random));
    builder.add({
      slices: new Uint32Array(slots),
      indices: new Uint16Array(slots),
      values: new Float32Array(slots).fill(roundToFloat16(0.01 + random())),
    });
  }
  const { gapLists } = cutIntoGapLists(builder.finish()).arrays;
  return Uint8Array.of((docs - 1) & 255, (docs - 1) >> 8, ...gapLists);
}

function byKernel(bytes: Uint8Array, docs: number): number[] {
  arena.bytes.set(bytes, list);
  const sums = arena
    .view(Int32Array, acc, docs + GUARDS)
    .fill(0, 0, docs)
    .fill(GUARD, docs);
  if (!arena.kernels.addGapList(list, list + bytes.length, docs, WEIGHT, acc))
    throw new SluiceError("refused");
  if (sums.subarray(docs).some((sum) => sum !== GUARD)) throw new WrongAnswer("it writes beside the sums");
  return [...sums.subarray(0, docs)];
}

function byDefinition(bytes: Uint8Array, docs: number): number[] {
  const sums = new Array<number>(docs).fill(0);
  for (const { lane, code } of readGapList(bytes, docs)) sums[lane] += WEIGHT * code;
  return sums;
}

export const target: Target = {
  name: "gap-lists",
  longest: MOST_BYTES,
  seeds: () => [
    seed(700, () => true),
    seed(2500, (_, random) => random() < 0.1),
    seed(5000, (doc) => doc % 300 === 7),
    seed(65_536, (doc) => doc % 9000 === 8999),
  ],
  async run(bytes) {
    if (bytes.length < 2) throw new SluiceError("no list");
    const docs = 1 + bytes[0] + 256 * bytes[1];
    const own = bytes.subarray(2, MOST_BYTES);
    const defined = await outcome(() => byDefinition(own, docs));
    requireSameOutcome("the kernel", await outcome(() => byKernel(own, docs)), defined);
    if ("error" in defined) throw new SluiceError(defined.error);
  },
};
