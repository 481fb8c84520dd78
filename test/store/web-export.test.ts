// What `exportWeb` writes, and what it leaves alone. That it is read back as it was is tested with the reader.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { SluiceReader } from "../../src/browser/index.ts";
import { toStoredSlicing } from "../../src/densify/slicing.ts";
import { type Document, type Progress, Sluice, SluiceError } from "../../src/index.ts";
import { IdTable } from "../../src/segment/rows/ids.ts";
import { type Manifest, PART_BYTES } from "../../src/store/web/web-format.ts";
import { folderFetch } from "../browser/folder-fetch.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-export-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const DOCUMENTS: Document[] = [
  {
    id: "1",
    title: "Bauhaus",
    text: "A school of art",
    year: 1919,
    note: "confidential remark",
    vector: [1, 0],
  },
  { id: "2", title: "Lock", text: "A chamber for boats", year: 1770, note: "another remark", vector: [0, 1] },
  { id: "gone", title: "Gone", text: "what stays in no file", note: "was deleted", vector: [1, 1] },
];
const built = (documents = DOCUMENTS) => Sluice.build(documents, { encoder: "none" });

let folders = 0;
const fresh = () => join(root, String(folders++));
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));

/** Everything a folder says, deflated or not. */
function textOf(folder: string): string {
  const texts = filesOf(folder).map((name) => {
    const bytes = readFileSync(join(folder, name));
    try {
      return inflateRawSync(bytes).toString("latin1") + bytes.toString("latin1");
    } catch {
      return bytes.toString("latin1");
    }
  });
  return texts.join("\n");
}

const opened = (folder: string) => SluiceReader.open("https://example.org", { fetch: folderFetch(folder) });

test("says what it wrote, and the manifest says the same", async () => {
  const index = await built();
  const folder = fresh();
  const steps: Progress[] = [];
  const exported = await index.exportWeb(folder, { onProgress: (step) => steps.push(step) });
  const files = filesOf(folder);
  expect(exported.files).toBe(files.length);
  expect(exported.docs).toBe(3);
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(exported.bytes).toBe(bytes - statSync(join(folder, "manifest.json")).size);
  const { index: written, checksum } = manifestOf(folder);
  expect(exported.fingerprint).toBe(checksum);
  expect(written.bytes).toBe(exported.bytes);
  expect(written.settings).toEqual(toStoredSlicing(index.info().slicingSettings));
  expect(steps.at(-1)).toEqual({ task: "exporting", done: 3, total: 3 });
});

test("the same index makes the same bytes", async () => {
  const [first, second] = [fresh(), fresh()];
  await (await built()).exportWeb(first);
  await (await built()).exportWeb(second);
  expect(filesOf(first)).toEqual(filesOf(second));
  expect(textOf(first)).toBe(textOf(second));
});

test("an older export is replaced, an empty folder filled, everything else refused", async () => {
  const index = await built();
  const folder = join(fresh(), "deep", "inside");
  await index.exportWeb(folder);
  const before = filesOf(folder);
  const smaller = await built(DOCUMENTS.slice(0, 1));
  await smaller.exportWeb(folder);
  expect(manifestOf(folder).index.segment.docs).toBe(1);
  expect(filesOf(folder)).not.toEqual(before);
  expect(readdirSync(join(folder, ".."))).toEqual(["inside"]);

  const empty = fresh();
  mkdirSync(empty);
  await index.exportWeb(empty);
  expect(manifestOf(empty).index.segment.docs).toBe(3);

  const other = fresh();
  mkdirSync(other);
  writeFileSync(join(other, "manifest.json"), '{"name": "a web app"}');
  await expect(index.exportWeb(other)).rejects.toThrow("holds something else, which would be lost");
  expect(filesOf(other)).toEqual(["manifest.json"]);
  const file = join(other, "manifest.json");
  await expect(index.exportWeb(file)).rejects.toThrow(SluiceError);
});

test("an export that is given up leaves what was there", async () => {
  const index = await built();
  const folder = fresh();
  await index.exportWeb(folder);
  const before = textOf(folder);
  const signal = AbortSignal.abort();
  await expect(index.exportWeb(folder, { signal })).rejects.toThrow("aborted");
  expect(textOf(folder)).toBe(before);
  expect(readdirSync(root).filter((name) => name.includes("tmp"))).toEqual([]);
});

test("fields that are not exported are nowhere in it, nor are deleted documents", async () => {
  const index = await Sluice.open(fresh(), { encoder: "none" });
  await index.add(DOCUMENTS);
  await index.commit();
  await index.delete(["gone"]);
  await index.commit();

  const whole = fresh();
  await index.exportWeb(whole);
  expect(textOf(whole)).toContain("confidential remark");
  expect(textOf(whole)).not.toContain("stays in no file");
  expect(textOf(whole)).not.toContain("was deleted");

  const some = fresh();
  await index.exportWeb(some, { keepFields: ["title", "year"] });
  expect(textOf(some)).not.toContain("remark");
  const reader = await opened(some);
  const { hits } = await reader.search("boats", { lambda: 0, filter: { year: { lt: 1900 } } });
  expect(hits.map(({ id, document }) => ({ id, document }))).toEqual([
    { id: "2", document: { title: "Lock", year: 1770 } },
  ]);
  expect(reader.info().exportedFields).toEqual(["title", "year"]);
  const filtered = reader.search("boats", {
    lambda: 0,
    filter: { or: [{ year: 1 }, { not: { note: "x" } }] },
  });
  await expect(filtered).rejects.toThrow(
    'the field "note" was not exported, so no filter, boost, facet, sort or group can use it',
  );

  const none = fresh();
  await index.exportWeb(none, { keepFields: "none" });
  expect(textOf(none)).not.toMatch(/remark|Bauhaus|chamber for/);
  const bare = await opened(none);
  expect((await bare.search("boats", { lambda: 0 })).hits).toMatchObject([{ id: "2", document: {} }]);
  expect(await bare.documents(["1", "2"])).toEqual([{}, {}]);
  await index.close();
});

test("what cannot be meant is refused before anything is written", async () => {
  const index = await built();
  const folder = fresh();
  await expect(index.exportWeb(folder, { keepFields: ["titel"] })).rejects.toThrow(
    'no document has a field "titel"',
  );
  await expect(index.exportWeb(folder, { keepFields: "some" as never })).rejects.toThrow(
    'keepFields must be "all", "none" or a list of fields, not "some"',
  );
  const empty = await Sluice.build([], { encoder: "none" });
  await expect(empty.exportWeb(folder)).rejects.toThrow("there is nothing to export");
  expect(() => statSync(folder)).toThrow();
});

test("no file is larger than 16 MiB; arrays in several files, and documents in several windows, are whole again", async () => {
  const ids = Array.from({ length: 66_500 }, (_, i) => `${i}-${"x".repeat(255)}`);
  const index = await Sluice.build(
    ids.map((id, i) => ({ id, text: `word${i % 7}` })),
    { encoder: "none" },
  );
  const folder = fresh();
  await index.exportWeb(folder);
  const parts = manifestOf(folder).index.sections.find(({ name }) => name === "ids")!.parts;
  const packed = IdTable.of(ids).pack().bytes.length;
  expect(parts.map(({ bytes }) => bytes)).toEqual([PART_BYTES, packed - PART_BYTES]);
  for (const name of filesOf(folder))
    expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(PART_BYTES);
  const reader = await opened(folder);
  const [there, here] = [await index.search("word3", { k: 3000 }), await reader.search("word3", { k: 3000 })];
  expect(here.hits.map(({ id }) => id)).toEqual(there.hits.map(({ id }) => id));
});

test("what a killed export left goes with the next one, and the older export that it had moved away comes back", async () => {
  const index = await Sluice.build([{ id: "1", text: "water" }], { encoder: "none" });
  const [folder, gone] = [fresh(), 2 ** 22 + 1]; // no process has so large an id
  await index.exportWeb(folder);
  mkdirSync(`${folder}.${gone}.tmp`);
  mkdirSync(`${folder}.${process.pid}.tmp.other`);
  renameSync(folder, `${folder}.${gone}.tmp.before`);
  await expect(index.exportWeb(folder, { keepFields: ["nothing"] })).rejects.toThrow("nothing");
  const left = readdirSync(dirname(folder)).filter((name) => name.split(".")[0] === basename(folder));
  expect(left.sort()).toEqual([basename(folder), `${basename(folder)}.${process.pid}.tmp.other`]);
  await opened(folder);
});
