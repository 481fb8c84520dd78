// Documents packed into groups against a plain Map: every one comes back, whatever is missing between them.

import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { mulberry32 } from "../../support/numbers/random.ts";
import { buildDictionary } from "./dictionary.ts";
import { type DocumentJson, Group } from "./group.ts";
import { packGroups } from "./pack.ts";
import { PackedDocuments } from "./packed-documents.ts";

type Documents = ReadonlyMap<number, object>;

const PATH = "some.mdb";

const stored = (documents: Documents): DocumentJson[] =>
  Array.from(documents, ([serial, fields]) => ({ serial, json: Buffer.from(JSON.stringify(fields)) }));

/** Packs documents, and reads them by serial number, as the database would be read. */
async function packedAndOpened(documents: Documents) {
  const list = stored(documents);
  const dictionary = buildDictionary(list);
  const groups = [...packGroups(list, dictionary)];
  const reader = new PackedDocuments({
    path: PATH,
    groupFrom: (serial) => {
      const found = groups.find(({ last }) => last >= serial);
      return found && new Group(found.value, found.last, PATH);
    },
    dictionaryOf: () => dictionary!.bytes,
  });
  return { groups, reader, dictionary };
}

async function check(documents: Documents): Promise<void> {
  const { groups, reader, dictionary } = await packedAndOpened(documents);
  for (const [serial, fields] of documents) expect(reader.fieldsOf(serial)).toEqual(fields);
  const last = [...documents.keys()].at(-1) ?? 0;
  for (let serial = 1; serial < Math.min(last + 3, 500); serial++) {
    if (!documents.has(serial))
      expect(() => reader.fieldsOf(serial)).toThrow(`document ${serial} is missing`);
  }
  let before = 0;
  const found = groups.flatMap(({ value, last }) => {
    const group = new Group(value, last, PATH);
    expect(group.first).toBeGreaterThan(before);
    before = last;
    const list = [...group.documents(() => dictionary!.bytes)];
    expect(list).toHaveLength(group.docs);
    expect(list.at(-1)?.serial).toBe(last);
    return list.map(({ serial, json }) => [serial, JSON.parse(json.toString())]);
  });
  expect(found).toEqual([...documents]);
}

/** So many documents with gaps between their serial numbers. */
function made(count: number, fieldsOf: (i: number, random: () => number) => object): Documents {
  const random = mulberry32(count);
  let serial = 0;
  return new Map(
    Array.from({ length: count }, (_, i) => {
      serial += random() < 0.9 ? 1 : Math.ceil(random() ** 4 * 2000);
      return [serial, fieldsOf(i, random)];
    }),
  );
}

const words = (random: () => number, count: number) =>
  Array.from({ length: count }, () => `w${Math.floor(random() ** 3 * 5000)}`).join(" ");

describe("packing", () => {
  test("random documents with random gaps", async () => {
    const gap = fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fc.nat(3000) });
    const document = fc.record({ gap, fields: fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()) });
    await fc.assert(
      fc.asyncProperty(fc.array(document, { maxLength: 60 }), (list) => {
        let serial = 0;
        const documents = list.map(({ gap, fields }): [number, object] => {
          serial += gap + 1;
          return [serial, JSON.parse(JSON.stringify(fields))];
        });
        return check(new Map(documents));
      }),
      { numRuns: 40 },
    );
  });

  test.each<[string, Documents]>([
    ["none", made(0, () => ({}))],
    ["thousands of empty ones", made(5000, () => ({}))],
    ["thousands of tiny ones", made(5000, (i) => ({ i }))],
    ["a few hundred passages", made(700, (_, random) => ({ text: words(random, 10 + 200 * random()) }))],
    [
      "line feeds and other alphabets",
      made(900, (i) => ({ text: `\n\r\u2028 наводнение 洪水 \u{1f30a}${i}\0` })),
    ],
    [
      "texts of a megabyte between short ones",
      made(30, (i) => ({ text: "flood ".repeat(i % 9 === 4 ? 2e5 : 2) })),
    ],
    ["what does not compress", made(300, (_, random) => ({ text: noise(random, 3000) }))],
  ])("%s", (_, documents) => check(documents));

  test("groups are of a size, and a dictionary makes them smaller", async () => {
    const documents = made(4000, (_, random) => ({ text: words(random, 80) }));
    const { groups, dictionary } = await packedAndOpened(documents);
    const sizes = groups.map(({ value, last }) => new Group(value, last, PATH).jsonBytes);
    for (const size of sizes.slice(0, -1)) {
      expect(size).toBeGreaterThanOrEqual(128 * 1024);
      expect(size).toBeLessThan(256 * 1024);
    }
    const without = [...packGroups(stored(documents), undefined)];
    const bytes = (list: typeof groups) => list.reduce((sum, { value }) => sum + value.length, 0);
    expect(bytes(groups)).toBeLessThan(0.95 * bytes(without));
    expect(dictionary?.bytes.length).toBeGreaterThan(30_000);
    expect(buildDictionary(stored(made(10, () => ({ text: "few" }))))).toBeUndefined();
  });
});

const noise = (random: () => number, length: number) =>
  Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(random() * 20_000))).join("");

describe("a group that is not as it was written", () => {
  test("every flipped byte and every shortened value is noticed, by a document of each block", async () => {
    const documents = made(60, (i, random) => ({ text: i < 30 ? words(random, 100) : noise(random, 20) }));
    const { groups } = await packedAndOpened(documents);
    const [{ value, last }] = groups;
    const read = (bytes: Buffer) => [...new Group(bytes, last, PATH).documents(() => Buffer.alloc(0))];
    expect(read(value)).toHaveLength(60);
    for (let at = 0; at < value.length; at++) {
      const flipped = Buffer.from(value);
      flipped[at] ^= 1 << (at % 8);
      expect(() => read(flipped), `byte ${at}`).toThrow(/^some.mdb: the file is damaged: .* match/);
      expect(() => read(value.subarray(0, at)), `cut at ${at}`).toThrow(SluiceError);
    }
  });

  test("so is another dictionary than the one it was made with", async () => {
    const documents = made(700, (_, random) => ({ text: words(random, 100) }));
    const { groups } = await packedAndOpened(documents);
    const [{ value, last }] = groups;
    const other = deflateRawSync(Buffer.alloc(40_000, "another"), { level: 0 }).subarray(0, 100);
    const read = () => [...new Group(value, last, PATH).documents(() => other)];
    expect(read).toThrow(/^some.mdb: the file is damaged: documents .* cannot be decompressed/);
  });
});
