// An index whose documents were cut by another dictionary than this JavaScript engine has.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { english } from "../../src/analyze/analyzers/english.ts";
import { universal } from "../../src/analyze/analyzers/universal.ts";
import { SluiceReader } from "../../src/browser/reader.ts";
import { Sluice } from "../../src/index.ts";
import {
  analyzerNotice,
  createAnalyzerRecord,
  loadRecordedAnalyzer,
} from "../../src/store/record/analyzer-record.ts";
import { hexadecimal, MANIFEST_FILE, type Manifest } from "../../src/store/web/web-format.ts";
import { folderFetch } from "../browser/folder-fetch.ts";

test("another dictionary is noticed, and stays recorded", async () => {
  const record = createAnalyzerRecord(universal);
  expect(record.dictionary).toBeTypeOf("string");
  expect(analyzerNotice(await loadRecordedAnalyzer(record, undefined, "index"))).toBeUndefined();

  const other = { ...record, dictionary: "another" };
  const analyzer = await loadRecordedAnalyzer(other, undefined, "index");
  expect(analyzerNotice(analyzer)).toContain("another version of the dictionary");
  expect(analyzer.terms("Boats in a canal")).toEqual(universal.terms("Boats in a canal"));
  // The next commit writes what it read: the analyzer is no one's own.
  expect(createAnalyzerRecord(analyzer)).toEqual(other);
  expect(analyzerNotice(universal)).toBeUndefined();
});

test("options stay recorded with another dictionary", async () => {
  const record = {
    ...createAnalyzerRecord(universal),
    options: { stopWords: ["canal"] },
    dictionary: "another",
  };
  const analyzer = await loadRecordedAnalyzer(record, undefined, "index");
  expect(analyzer.terms("a canal")).toEqual(["a"]);
  expect(createAnalyzerRecord(analyzer)).toEqual(record);
});

test("an analyzer without a dictionary has none to differ", () => {
  expect(createAnalyzerRecord(english)).toEqual({ name: "english" });
});

test("a page says so of an export, and searches it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-dictionary-"));
  const built = await Sluice.build([{ id: "lock", text: "A lock of a canal" }], { encoder: "none" });
  expect(built.info().analyzerNotice).toBeUndefined();
  await built.exportWeb(folder);
  await built.close();
  const path = join(folder, MANIFEST_FILE);
  const manifest: Manifest = JSON.parse(readFileSync(path, "utf8"));
  const { analyzer } = manifest.index;
  const index = { ...manifest.index, analyzer: { ...analyzer, dictionary: "another" } };
  const checksum = hexadecimal(crc32(JSON.stringify(index)));
  writeFileSync(path, JSON.stringify({ ...manifest, checksum, index }));
  const reader = await SluiceReader.open("http://localhost/", { fetch: folderFetch(folder) });
  expect(reader.info().analyzerNotice).toContain("another version of the dictionary");
  expect((await reader.search("canals")).hits).toHaveLength(1);
});
