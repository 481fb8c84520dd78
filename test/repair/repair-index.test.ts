// Files are broken in every way; a repair saves what is whole, and says what is not.

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Document } from "../../src/documents/document.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { Sluice } from "../../src/sluice.ts";
import { LmdbDatabase } from "../../src/store/database/lmdb-database.ts";
import { putCommit } from "../../src/store/record/commit-record.ts";

vi.setConfig({ testTimeout: 120_000 }); // makes and repairs many indexes

const place = () => join(mkdtempSync(join(tmpdir(), "sluice-repair-")), "index");

const WORDS = ["gate", "water", "sea", "weir", "boat"];
const text = (i: number) => `${WORDS[i % 5]} ${WORDS[(i * 3) % 5]} canal w${i}`;
const plain = Array.from({ length: 12 }, (_, i) => ({ id: `d${i}`, text: text(i), year: 1900 + i }));
const withVectors = plain.map((document, i) => ({ ...document, vector: [i + 1, 1, 0.5] }));

/** Two segments; the first has deleted documents. Returns the folder and the documents that are left. */
async function damageable(documents: readonly Document[], options: OpenOptions) {
  const path = place();
  const index = await Sluice.open(path, options);
  await index.add(documents.slice(0, 8));
  await index.commit();
  await index.add(documents.slice(8));
  await index.delete(["d1", "d4"]);
  await index.commit();
  await index.idle();
  await index.close();
  return { path, left: documents.filter(({ id }) => id !== "d1" && id !== "d4") };
}

const segmentsOf = (path: string) =>
  readdirSync(join(path, "segments"))
    .sort()
    .map((name) => join(path, "segments", name));

const copyOf = (path: string) => {
  const copy = place();
  cpSync(path, copy, { recursive: true });
  return copy;
};

async function answers(index: Sluice, vector?: readonly number[]) {
  const queries = WORDS.map((text) => ({ text, ...(vector && { vector: [...vector] }) }));
  const found = await index.searchAll(queries, { k: 100 });
  return found.map(({ hits }) => hits.map(({ id, score }) => [id, Math.fround(score)]));
}

/** Checks that the folder holds a sound index that answers as one that is built of these documents. */
async function expectIndexOf(
  path: string,
  documents: readonly Document[],
  options: OpenOptions,
  vector?: readonly number[],
): Promise<void> {
  expect((await Sluice.verify(path)).problems).toEqual([]);
  const { encoder, ...rest } = options;
  const built = await Sluice.build(documents, { ...rest, ...(encoder !== undefined && { encoder }) });
  const repaired = await Sluice.open(path, { readOnly: true });
  const [ids, expected] = [await repaired.listIds(), await built.listIds()];
  expect(ids).toEqual(expected);
  expect(await repaired.documents(ids)).toEqual(await built.documents(expected));
  expect(await answers(repaired, vector)).toEqual(await answers(built, vector));
  await repaired.close();
  await built.close();
}

/** Changes the values of the database, behind the back of everything else. */
async function change(path: string, work: (database: LmdbDatabase) => void): Promise<void> {
  const database = await LmdbDatabase.open(path, { create: false });
  database.write(() => work(database));
  await database.close();
}

const flipped = (bytes: Uint8Array, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at] ^= 1 << (at % 8);
  return copy;
};

const NONE = { encoder: "none" } as const;
const sound = { lost: [], unnamed: 0, incomplete: [], encoded: 0, hasSettings: true };

test("a sound index is written again, as built", async () => {
  const { path, left } = await damageable(plain, NONE);
  const into = place();
  expect(await Sluice.repair(path, into)).toEqual({ ...sound, docs: 10, problems: [] });
  await expectIndexOf(into, left, NONE);
});

test("text fields and positions stay, whether the terms are known or lost", async () => {
  const options = { ...NONE, fieldWeights: { title: 3, text: 1 }, positions: true };
  const { path, left } = await damageable(
    plain.map((document, i) => ({ ...document, title: WORDS[i % WORDS.length] })),
    options,
  );
  rmSync(segmentsOf(path)[0]);
  const into = place();
  expect(await Sluice.repair(path, into)).toMatchObject({ ...sound, docs: 10 });
  await expectIndexOf(into, left, options);
  await change(path, (database) => {
    const [{ key, value }] = database.vocabulary.getRange({ limit: 1 });
    database.vocabulary.putSync(key, flipped(value, 12));
  });
  const again = place();
  expect(await Sluice.repair(path, again)).toMatchObject({ ...sound, docs: 10 });
  await expectIndexOf(again, left, options);
});

test("of an index of texts, damage to segments loses nothing: flipped, cut, removed, replaced", async () => {
  const { path, left } = await damageable(plain, NONE);
  const [one, other] = segmentsOf(path);
  const bytes = readFileSync(one);
  const ways: [string, () => void][] = [
    ["cut", () => truncateSync(one, bytes.length - 100)],
    ["cut to the header", () => truncateSync(one, 20)],
    ["emptied", () => truncateSync(one, 0)],
    ["removed", () => rmSync(one)],
    ["replaced", () => copyFileSync(other, one)],
  ];
  for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 25)) {
    ways.push([`byte ${at} flipped`, () => writeFileSync(one, flipped(bytes, at))]);
  }
  for (const [what, damage] of ways) {
    damage();
    const into = place();
    const { problems, ...report } = await Sluice.repair(path, into);
    expect(report, what).toEqual({ ...sound, docs: 10 });
    expect(problems.length, what).toBeGreaterThan(0);
    await expectIndexOf(into, left, NONE);
    writeFileSync(one, bytes);
  }
});

test("without all segments, the table of ids knows the documents; what it lost is counted", async () => {
  const { path, left } = await damageable(plain, NONE);
  for (const file of segmentsOf(path)) rmSync(file);
  const into = place();
  expect(await Sluice.repair(path, into)).toMatchObject({ ...sound, docs: 10 });
  await expectIndexOf(into, left, NONE);

  await change(path, (database) => database.ids.removeSync(Buffer.from("d9")));
  const again = place();
  expect(await Sluice.repair(path, again)).toMatchObject({ ...sound, docs: 9, unnamed: 1 });
  await expectIndexOf(
    again,
    left.filter(({ id }) => id !== "d9"),
    NONE,
  );
});

test("vectors that are whole stay; those of a damaged segment are reported as missing", async () => {
  const { path, left } = await damageable(withVectors, NONE);
  const [one] = segmentsOf(path);
  const offset = readFileSync(one).indexOf(Buffer.from(Uint16Array.of(0x3c00, 0x3c00, 0x3800).buffer)); // 1, 1, 0.5
  expect(offset).toBeGreaterThan(0);
  const bytes = readFileSync(one);
  const early = left.filter(({ id }) => Number(id.slice(1)) < 8);
  const zeroed = left.map((document) =>
    early.includes(document) ? { ...document, vector: [0, 0, 0] } : document,
  );
  for (const damage of [() => rmSync(one), () => writeFileSync(one, flipped(bytes, offset))]) {
    damage();
    const into = place();
    expect(await Sluice.repair(path, into)).toMatchObject({
      ...{ docs: 10, lost: [], unnamed: 0, encoded: 0 },
      incomplete: early.map(({ id }) => ({ id, missing: ["vector"] })),
    });
    await expectIndexOf(into, zeroed, NONE, [1, 1, 1]);
    writeFileSync(one, bytes);
  }
  const into = place();
  expect(await Sluice.repair(path, into)).toMatchObject(sound);
  await expectIndexOf(into, left, NONE, [1, 1, 1]);
});

test("documents of a damaged segment are encoded again", async () => {
  const options = { encoder: "static" };
  const { path, left } = await damageable(plain, options);
  const [one] = segmentsOf(path);
  rmSync(one);
  const into = place();
  expect(await Sluice.repair(path, into)).toMatchObject({ ...sound, docs: 10, encoded: 6 });
  await expectIndexOf(into, left, options);
});

test("weights and factors come from whole segments", async () => {
  const weighted = plain.map((document, i) => ({
    ...document,
    weights: { [WORDS[i % 5]]: 1 + i, canal: 0.5 },
  }));
  const options = { ...NONE, lexical: "weights" } as const;
  const { path, left } = await damageable(weighted, options);
  const into = place();
  expect(await Sluice.repair(path, into)).toMatchObject(sound);
  const ask = async (folder: string) => {
    const index = await Sluice.open(folder, { readOnly: true });
    const { hits } = await index.search({ weights: { gate: 1, canal: 1 } }, { k: 100 });
    await index.close();
    return hits.map(({ id, score }) => [id, score]);
  };
  expect(await ask(into)).toEqual(await ask(path));
  rmSync(segmentsOf(path)[0]);
  const bare = place();
  const { incomplete } = await Sluice.repair(path, bare);
  expect(incomplete).toEqual(
    left.filter(({ id }) => Number(id.slice(1)) < 8).map(({ id }) => ({ id, missing: ["weights"] })),
  );
  expect((await ask(bare)).map(([id]) => id)).toEqual(["d10", "d8", "d9", "d11"]);

  const factored = plain.map((document, i) => ({ ...document, termFactors: { canal: 1 + i / 4 } }));
  const other = await damageable(factored, NONE);
  const again = place();
  expect(await Sluice.repair(other.path, again)).toMatchObject(sound);
  await expectIndexOf(again, other.left, NONE);
});

/** Many documents in one group of several blocks, with a dictionary. */
async function grouped() {
  const documents = Array.from({ length: 150 }, (_, i) => ({
    id: `d${i}`,
    text: `${text(i)} `.repeat(60).trim(),
  }));
  const path = place();
  const index = await Sluice.open(path, NONE);
  await index.add(documents);
  await index.commit();
  await index.close();
  return { path, documents };
}

test("documents that are damaged are named, and the others answer as an index of their own", async () => {
  const { path, documents } = await grouped();
  const into = place();
  await change(path, (database) => {
    const [{ key, value }] = database.documents.getRange({ limit: 1 });
    database.documents.putSync(key, flipped(value, value.length - 100)); // in its last block
  });
  const report = await Sluice.repair(path, into);
  const lost = report.lost.map(({ id }) => id);
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThan(150);
  expect(report).toMatchObject({ docs: 150 - lost.length, unnamed: 0, incomplete: [] });
  for (const { reason } of report.lost)
    expect(reason).toMatch(/documents \d+ to \d+ do not match their checksum/);
  await expectIndexOf(
    into,
    documents.filter(({ id }) => !lost.includes(id)),
    NONE,
  );
});

test("if no document is whole, it is an error, and no index is written", async () => {
  const { path } = await grouped();
  for (const damage of [
    (database: LmdbDatabase) => {
      const [{ key, value }] = database.dictionaries.getRange({ limit: 1 });
      database.dictionaries.putSync(key, flipped(value, 50));
    },
    (database: LmdbDatabase) => {
      for (const key of [...database.documents.getKeys({})]) database.documents.removeSync(key);
    },
  ]) {
    const copy = copyOf(path);
    await change(copy, damage);
    const into = place();
    await expect(Sluice.repair(copy, into)).rejects.toMatchObject({
      code: "ERR_SLUICE_DAMAGED",
      message: expect.stringMatching(/none of 150 documents can be saved: .*index\.mdb/),
    });
    expect(existsSync(into)).toBe(false);
  }
});

test("terms, statistics and deletions are made again", async () => {
  const { path, left } = await damageable(plain, NONE);
  const damages: ((database: LmdbDatabase) => void)[] = [
    (database) => {
      const [{ key, value }] = database.vocabulary.getRange({ limit: 1 });
      database.vocabulary.putSync(key, flipped(value, 12));
    },
    (database) => database.records.putSync("statistics", flipped(database.records.get("statistics")!, 9)),
    (database) => {
      const [{ key, value }] = database.deletions.getRange({ limit: 1 });
      database.deletions.putSync(key, flipped(value, 4));
    },
  ];
  for (const damage of damages) {
    const copy = copyOf(path);
    await change(copy, damage);
    const into = place();
    const { problems, ...report } = await Sluice.repair(copy, into);
    expect(problems.length).toBeGreaterThan(0);
    expect(report).toEqual({ ...sound, docs: 10 });
    await expectIndexOf(into, left, NONE);
  }
});

test("without the record of the commit, the new index has the settings that it is given", async () => {
  const breakRecord = (database: LmdbDatabase) =>
    database.records.putSync("commit", flipped(database.records.get("commit")!, 40));
  const { path, left } = await damageable(withVectors, NONE);
  await change(path, breakRecord);
  const into = place();
  expect(await Sluice.repair(path, into, NONE)).toMatchObject({
    ...sound,
    hasSettings: false,
    docs: 10,
  });
  await expectIndexOf(into, left, NONE, [1, 1, 1]);
  rmSync(segmentsOf(path)[0]);
  const bare = place();
  const { incomplete } = await Sluice.repair(path, bare, NONE);
  expect(incomplete.map(({ id }) => id)).toEqual(["d0", "d2", "d3", "d5", "d6", "d7"]);

  const texts = await damageable(plain, { encoder: "static", analyzer: "german" });
  await change(texts.path, breakRecord);
  const given = { encoder: "static", analyzer: "german" } as const;
  const again = place();
  expect(await Sluice.repair(texts.path, again, given)).toMatchObject({ hasSettings: false, docs: 10 });
  await expectIndexOf(again, texts.left, given);
});

test("an encoder that does not open costs only the documents that need it", async () => {
  const { path, left } = await damageable(plain, { encoder: "static" });
  await change(path, (database) => {
    const record = JSON.parse(database.records.get("commit")!.subarray(4).toString());
    record.encoder.path = "/nowhere";
    putCommit(database, record);
  });
  rmSync(segmentsOf(path)[0]);
  const { lost, docs } = await Sluice.repair(path, place());
  expect([docs, lost.map(({ id }) => id)]).toEqual([4, left.slice(0, 6).map(({ id }) => id)]);
  for (const { reason } of lost) expect(reason).toContain("/nowhere");
});

test("a database that cannot be read is an exact error", async () => {
  const { path } = await damageable(plain, NONE);
  const file = join(path, "index.mdb");
  for (const [damage, message] of [
    [() => truncateSync(file, 5000), /index\.mdb: the file is damaged: .*nothing can be saved/],
    [() => writeFileSync(file, "something else ".repeat(2000)), /it is no database.*nothing can be saved/],
    [() => rmSync(file), /index\.mdb is missing; the folder was copied in part/],
  ] as const) {
    damage();
    await expect(Sluice.repair(path, place())).rejects.toThrow(message);
  }
  await expect(Sluice.repair(place(), place())).rejects.toMatchObject({ code: "ERR_SLUICE_NO_INDEX" });
});

test("it never writes over an index unasked, and never in place", async () => {
  const { path } = await damageable(plain, NONE);
  await expect(Sluice.repair(path, `${path}/../index`)).rejects.toThrow("is the damaged index itself");
  await expect(Sluice.repair(path, `${path}/r`)).rejects.toThrow("is inside the damaged index");
  const other = await damageable(withVectors, NONE);
  await expect(Sluice.repair(path, other.path)).rejects.toMatchObject({ code: "ERR_SLUICE_INDEX_EXISTS" });
  expect(await Sluice.repair(path, other.path, { overwrite: true })).toMatchObject({ docs: 10 });
  await expect(Sluice.repair("opensearch://localhost:9200/x", place())).rejects.toThrow(
    "only an index in a folder",
  );
});

test("a database without anything is no index to repair, and the hint says so", async () => {
  const { path } = await damageable(plain, { encoder: "none" });
  truncateSync(join(path, "index.mdb"), 0);
  const lost = {
    code: "ERR_SLUICE_DAMAGED",
    message: expect.stringMatching(/index\.mdb: holds nothing of an index.*restore a backup/),
  };
  await expect(Sluice.repair(path, place())).rejects.toMatchObject(lost);
  rmSync(join(path, "segments"), { recursive: true });
  truncateSync(join(path, "index.mdb"), 0);
  await expect(Sluice.repair(path, place())).rejects.toMatchObject(lost);
  await expect(Sluice.repair(place(), place())).rejects.toMatchObject({
    code: "ERR_SLUICE_NO_INDEX",
    message: expect.stringContaining("there is no index to repair; look for a typing error"),
  });
});
