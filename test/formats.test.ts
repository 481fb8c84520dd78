// An index of the format that this build reads opens, answers as it did when it was written, and verifies. Other formats are
// refused with a code of their own, among them indexes that earlier builds wrote, and so is a folder that was copied in part.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Sluice } from "../src/sluice.ts";
import { LmdbDatabase } from "../src/store/database/lmdb-database.ts";
import { putCommit, RECORD_VERSION, readCommit } from "../src/store/record/commit-record.ts";
import { FORMAT_SAMPLES } from "./fixtures/format-samples.ts";

const FIXTURES = fileURLToPath(new URL("fixtures", import.meta.url));
const FORMATS = readdirSync(FIXTURES).flatMap((name) => /^format-(\d+)$/.exec(name)?.[1] ?? []);
const OLDER = FORMATS.filter((format) => Number(format) < RECORD_VERSION);

/** A copy of a fixture, as an index. */
function unpacked(format: number | string, sample: string): string {
  const from = join(FIXTURES, `format-${format}`, sample);
  const to = join(mkdtempSync(join(tmpdir(), "sluice-format-")), "index");
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith(".gz")) continue;
    const file = join(entry.parentPath, entry.name);
    const target = join(to, file.slice(from.length, -".gz".length));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, gunzipSync(readFileSync(file)));
  }
  return to;
}

test("there are fixtures of the format that this build writes", () => {
  expect(FORMATS).toContain(String(RECORD_VERSION));
});

describe(`format ${RECORD_VERSION}`, () => {
  const format = RECORD_VERSION;
  const samples = readdirSync(join(FIXTURES, `format-${format}`));
  test.each(samples)("%s opens, answers as it did, verifies, and can be changed", async (name) => {
    const { commits, deleted, queries, options } = FORMAT_SAMPLES[name];
    const folder = unpacked(format, name);
    const answers = JSON.parse(
      readFileSync(join(FIXTURES, `format-${format}`, name, "answers.json"), "utf8"),
    );
    expect((await Sluice.verify(folder)).problems).toEqual([]);
    const index = await Sluice.open(folder, options);
    const left = commits.flat().filter(({ id }) => !deleted.includes(id));
    expect(await index.listIds()).toEqual(left.map(({ id }) => id));
    for (const { id, weights: _, termFactors: __, vector: ___, ...fields } of left)
      expect(await index.document(id)).toEqual(fields);
    for (const [i, { query, options }] of queries.entries()) {
      const { hits } = await index.search(query, options);
      expect(hits.length).toBeGreaterThan(0);
      expect(hits.map(({ id }) => id)).toEqual(answers[i].map(({ id }: { id: string }) => id));
      for (const [rank, { score }] of hits.entries()) expect(score).toBeCloseTo(answers[i][rank].score, 5);
    }
    await index.delete(["d2"]);
    await index.optimize();
    await index.close();
    expect((await Sluice.verify(folder)).problems).toEqual([]);
  });
});

test.each(OLDER)("an index that was written in format %s is refused, and stays as it is", async (format) => {
  for (const sample of readdirSync(join(FIXTURES, `format-${format}`))) {
    const folder = unpacked(format, sample);
    const before = readFileSync(join(folder, "index.mdb"));
    const refused = {
      code: "ERR_SLUICE_FORMAT",
      message: expect.stringContaining(`format ${format}; this build reads format ${RECORD_VERSION}`),
      hint: expect.stringContaining("an older version of Sluice wrote it"),
    };
    await expect(Sluice.open(folder, { readOnly: true })).rejects.toMatchObject(refused);
    await expect(Sluice.open(folder)).rejects.toMatchObject(refused);
    await expect(Sluice.repair(folder, `${folder}-2`)).rejects.toMatchObject(refused);
    await expect(Sluice.verify(folder)).rejects.toMatchObject(refused); // it is not damaged
    expect(readFileSync(join(folder, "index.mdb")).equals(before)).toBe(true);
  }
});

test.each([
  [RECORD_VERSION + 1, "a newer version of Sluice wrote it"],
  [RECORD_VERSION - 1, "an older version of Sluice wrote it"],
])("format %i is refused, with what to do", async (version, hint) => {
  const folder = unpacked(RECORD_VERSION, "texts");
  const database = await LmdbDatabase.open(folder, { create: false });
  const record = readCommit(database)!;
  database.write(() => putCommit(database, { ...record, version }));
  await database.close();
  const refused = {
    code: "ERR_SLUICE_FORMAT",
    message: expect.stringContaining(`format ${version}; this build reads format ${RECORD_VERSION}`),
    hint: expect.stringContaining(hint),
  };
  await expect(Sluice.open(folder)).rejects.toMatchObject(refused);
  await expect(Sluice.open(folder, { overwrite: true })).rejects.toMatchObject(refused);
  await expect(Sluice.repair(folder, `${folder}-2`)).rejects.toMatchObject(refused);
  await expect(Sluice.verify(folder)).rejects.toMatchObject(refused); // it is not damaged
  expect(await Sluice.exists(folder)).toBe(true);
});

test("a folder that was copied in part is damaged, and nothing is written into it", async () => {
  const folder = unpacked(RECORD_VERSION, "texts");
  const without = (...path: string[]) => {
    const copy = join(mkdtempSync(join(tmpdir(), "sluice-format-")), "index");
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, ...path), { recursive: true });
    return copy;
  };
  const [segment] = readdirSync(join(folder, "segments"));
  for (const [part, message] of [
    [without("index.mdb"), "index.mdb is missing; the folder was copied in part"],
    [without("segments"), "the file is missing, but the last commit names it"],
    [without("segments", segment), "the file is missing, but the last commit names it"],
  ]) {
    const refused = { code: "ERR_SLUICE_DAMAGED", message: expect.stringContaining(message) };
    await expect(Sluice.open(part, { encoder: "none" })).rejects.toMatchObject(refused);
    await expect(Sluice.open(part, { readOnly: true })).rejects.toMatchObject(refused);
    expect((await Sluice.verify(part)).problems.join("\n")).toContain(message);
    expect(await Sluice.exists(part)).toBe(true);
  }
  expect(existsSync(join(folder, "segments", segment))).toBe(true);
});
