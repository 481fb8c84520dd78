// Files that are not as they were written: every one is noticed, with its name, and none ends the process.

import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { addChecksum } from "../../src/segment/container/checksum.ts";
import { Container } from "../../src/segment/container/container.ts";
import { Sluice } from "../../src/sluice.ts";
import { LmdbDatabase } from "../../src/store/database/lmdb-database.ts";
import { packGroup } from "../../src/store/packed/group.ts";
import { putCommit, readCommit } from "../../src/store/record/commit-record.ts";
import { SluiceError } from "../../src/support/errors/sluice-error.ts";
import { assembled, takenFile } from "../fuzz/contract/container-file.ts";

vi.setConfig({ testTimeout: 300_000 }); // flips every byte of an index

const folder = () => join(mkdtempSync(join(tmpdir(), "sluice-damage-")), "index");

/** Two small segments, with everything a segment can have. */
async function small(): Promise<string> {
  const path = folder();
  const index = await Sluice.open(path, { encoder: "none", dims: 4, fieldWeights: { title: 2, text: 1 } });
  await index.add([
    { id: "a", text: "one two", vector: [1, 2], year: 1919 },
    { id: "b", text: "two", vector: [3, 4], tags: ["x", "y"] },
  ]);
  await index.commit();
  await index.add([{ id: "c", text: "two three", vector: [5, 6] }]);
  await index.delete(["a"]);
  await index.commit();
  await index.close();
  return path;
}

const segmentsOf = (path: string) =>
  readdirSync(join(path, "segments")).map((name) => join(path, "segments", name));

const asked = { text: "two", vector: [1, 1] };

describe("segments", () => {
  /** All bytes take a minute, so a plain run takes each 13th: an odd step reaches every byte of words of 4 and 8. */
  const step = process.env.FUZZ ? 1 : 13;

  test("every flipped byte is found by verify, and by reading what it is in", async () => {
    const path = await small();
    const open = await Sluice.open(path, { encoder: "none" }); // the database stays open, which saves most of the time
    for (const file of segmentsOf(path)) {
      const bytes = readFileSync(file);
      for (let at = 0; at < bytes.length; at += step) {
        const flipped = Buffer.from(bytes);
        flipped[at] ^= 1 << (at % 8);
        writeFileSync(file, flipped);
        const { problems } = await Sluice.verify(path);
        expect(problems.join("\n"), `byte ${at} of ${bytes.length}`).toContain(`${file}: `);
        const read = readAll(path);
        await expect(read, `byte ${at} of ${bytes.length}`).rejects.toThrow(file);
        await expect(read).rejects.toBeInstanceOf(SluiceError);
      }
      writeFileSync(file, bytes);
    }
    expect((await Sluice.verify(path)).problems).toEqual([]);
    await readAll(path);
    await open.close();
  });

  test("every shortened file is found when the index is opened", async () => {
    const path = await small();
    const [file] = segmentsOf(path);
    const bytes = readFileSync(file);
    for (let length = 0; length < bytes.length; length += 3 * step) {
      writeFileSync(file, bytes.subarray(0, length));
      expect((await Sluice.verify(path)).problems.join("\n"), `cut at ${length}`).toContain(`${file}: `);
      await expect(Sluice.open(path, { encoder: "none" }), `cut at ${length}`).rejects.toThrow(file);
    }
    writeFileSync(file, Buffer.concat([bytes, Buffer.from([0])]));
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow("its header says");
    rmSync(file);
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow(`${file}: the file is missing`);
    expect((await Sluice.verify(path)).problems.join("\n")).toContain(`${file}: the file is missing`);
  });

  test("a sound file in the place of another is noticed", async () => {
    const path = await small();
    const [one, other] = segmentsOf(path);
    copyFileSync(one, other);
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow(
      `${other}: the file is damaged: it is not the file`,
    );
  });
});

/** Searches, and reads every section that a search does not. */
async function readAll(path: string): Promise<void> {
  const index = await Sluice.open(path, { encoder: "none" });
  try {
    await index.search(asked, { filter: { year: { exists: false } } });
    for (const file of segmentsOf(path)) {
      const container = Container.open(file);
      try {
        for (const name of container.names) await container.loadSection(name);
      } finally {
        container.close();
      }
    }
  } finally {
    await index.close();
  }
}

describe("the database", () => {
  test("one that was cut short, emptied or is something else is an error, not the end of the process", async () => {
    const path = await small();
    const file = join(path, "index.mdb");
    const whole = join(path, "..", "whole");
    copyFileSync(file, whole);
    for (const length of [10, 200, 4096, 8192, 20_000]) {
      copyFileSync(whole, file);
      truncateSync(file, length);
      await expect(Sluice.open(path, { encoder: "none" }), `cut at ${length}`).rejects.toThrow(
        `${file}: the file is damaged`,
      );
      expect((await Sluice.verify(path)).problems.join("\n")).toContain(file);
      expect(await Sluice.exists(path)).toBe(true);
    }
    writeFileSync(file, "something else, and more than four thousand bytes of it".repeat(200));
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow("it is no database");
    copyFileSync(whole, file);
    const index = await Sluice.open(path, { encoder: "none" });
    expect(await index.listIds()).toEqual(["b", "c"]);
    await index.close();
  });

  test("a changed value is named", async () => {
    for (const [from, problem] of [
      [Buffer.from('"nextSerial":4'), /index\.mdb: the file is damaged: the commit record/],
      [deflateRawSync('["on","two"]'), /index\.mdb: the file is damaged: the vocabulary/],
    ] as const) {
      const path = await small();
      const file = join(path, "index.mdb");
      const bytes = readFileSync(file);
      // Old versions of a page may be in the file, too: change them all.
      let changed = 0;
      for (let at = bytes.indexOf(from); at >= 0; at = bytes.indexOf(from, at + 1)) {
        bytes[at + from.length - 1] ^= 1;
        changed++;
      }
      expect(changed, String(problem)).toBeGreaterThan(0);
      writeFileSync(file, bytes);
      expect((await Sluice.verify(path)).problems.join("\n")).toMatch(problem);
    }
  });
});

describe("a value that matches its checksum and makes no sense", () => {
  async function withRecord(change: (record: Record<string, unknown>) => unknown): Promise<string> {
    const path = await small();
    const database = await LmdbDatabase.open(path, { create: false });
    const record = JSON.parse(JSON.stringify(readCommit(database)));
    const changed = change(record) ?? record;
    database.write(() =>
      database.records.putSync("commit", addChecksum(Buffer.from(JSON.stringify(changed)))),
    );
    await database.close();
    return path;
  }

  test.each<[string, (record: Record<string, unknown>) => unknown, string]>([
    ["no object", () => [], "is not a JSON object"],
    ["no segments", (record) => delete record.segments && record, 'a wrong "segments"'],
    ["a segment without a name", (record) => ({ ...record, segments: [{}] }), 'a wrong "segments"'],
    ["λ as a text", (record) => ({ ...record, lambda: "1" }), 'a wrong "lambda"'],
    ["other counts", (record) => ({ ...record, counts: 7 }), 'a wrong "counts"'],
    ["no analyzer", (record) => ({ ...record, analyzer: null }), 'a wrong "analyzer"'],
  ])("the commit record with %s", async (_, change, message) => {
    const path = await withRecord(change);
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow(
      `the commit record ${message.startsWith("a ") ? "has " : ""}${message}`,
    );
    expect((await Sluice.verify(path)).problems.join("\n")).toContain(message);
  });

  test("a vocabulary of another strategy than the record says", async () => {
    const path = await withRecord((record) => ({
      ...record,
      settings: { ...(record.settings as object), strategy: "stride" },
    }));
    await expect(Sluice.open(path, { encoder: "none" }).then((index) => index.search("two"))).rejects.toThrow(
      SluiceError,
    );
    expect((await Sluice.verify(path)).problems.length).toBeGreaterThan(0);
  });

  /** The index with a file whose header was changed, in its first segment and in its record. */
  async function withSegment(change: (taken: { header: Record<string, unknown>; body: Uint8Array }) => void) {
    const path = await small();
    const [file] = segmentsOf(path);
    const whole = takenFile(new Uint8Array(readFileSync(file)));
    const zero = whole.indexOf(0);
    const taken = {
      header: JSON.parse(Buffer.from(whole.subarray(0, zero)).toString()),
      body: whole.slice(zero + 1),
    };
    change(taken);
    writeFileSync(
      file,
      assembled(Buffer.concat([Buffer.from(`${JSON.stringify(taken.header)}\0`), taken.body])),
    );
    const container = Container.open(file);
    const { checksum } = container;
    container.close();
    const database = await LmdbDatabase.open(path, { create: false });
    const record = readCommit(database)!;
    const [first, ...others] = record.segments;
    database.write(() => putCommit(database, { ...record, segments: [{ ...first, checksum }, ...others] }));
    await database.close();
    return path;
  }

  test("the header of a segment", async () => {
    const path = await withSegment(({ header }) => Object.assign(header, { settings: { dims: "4" } }));
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow('its header has a wrong "settings"');
    expect((await Sluice.verify(path)).problems.join("\n")).toContain('its header has a wrong "settings"');
  });

  test("the arrays of a segment are a problem that verify reports", async () => {
    const path = await withSegment(({ header, body }) => {
      const sections = header.sections as { name: string; offset: number }[];
      body[sections.find(({ name }) => name === "columns")!.offset] = 0x5b; // "[" in place of "{"
    });
    expect((await Sluice.verify(path)).problems.join("\n")).toContain("its arrays cannot be read");
  });
});

describe("documents", () => {
  /** One group, of several blocks and with a dictionary, and the ids of its documents. */
  async function grouped(): Promise<{ path: string; file: string; ids: string[] }> {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", dims: 4, fieldWeights: { title: 2, text: 1 } });
    const ids = Array.from({ length: 150 }, (_, i) => `d${i}`);
    await index.add(ids.map((id, i) => ({ id, text: `${id} gate ${i % 7} water `.repeat(60) })));
    await index.commit();
    await index.close();
    return { path, file: join(path, "index.mdb"), ids };
  }

  const firstGroup = (database: LmdbDatabase) => {
    const [{ key, value }] = database.documents.getRange({ limit: 1 });
    return { key, value: Buffer.from(value) };
  };

  test("a flipped byte anywhere in a group or in the dictionary is one clear error, of reads and of verify", async () => {
    const { path, file, ids } = await grouped();
    const open = await Sluice.open(path, { encoder: "none" }); // the database stays open, which saves most of the time
    const database = await LmdbDatabase.open(path, { create: false });
    for (const table of [database.documents, database.dictionaries]) {
      const [{ key, value }] = [...table.getRange({ limit: 1 })];
      const whole = Buffer.from(value);
      for (let at = 0; at < whole.length; at += 1 + Math.floor(whole.length / 60)) {
        const flipped = Buffer.from(whole);
        flipped[at] ^= 1 << (at % 8);
        database.write(() => table.putSync(key, flipped));
        const { problems } = await Sluice.verify(path);
        expect(problems.length, `byte ${at}`).toBeGreaterThan(0);
        if (table === database.documents) expect(problems).toHaveLength(1);
        for (const problem of problems) expect(problem).toContain(`${file}: the file is damaged: `);
        const index = await Sluice.open(path, { readOnly: true });
        const failure = await index.documents(ids).catch((error) => error);
        expect(failure, `byte ${at}`).toBeInstanceOf(SluiceError);
        expect(failure.message, `byte ${at}`).toContain(`${file}: the file is damaged: `);
        await index.close();
      }
      database.write(() => table.putSync(key, whole));
    }
    await database.close();
    await open.close();
    expect((await Sluice.verify(path)).problems).toEqual([]);
  });

  test("a group that is missing, overlaps another or serves two segments is found", async () => {
    const missing = await grouped();
    await change(missing.path, (database) => database.documents.removeSync(firstGroup(database).key));
    expect((await Sluice.verify(missing.path)).problems.join("\n")).toMatch(
      /index.mdb: document 1, the id "d0" of segment 000001-\w+, is missing\n/,
    );
    const index = await Sluice.open(missing.path, { readOnly: true });
    await expect(index.document("d0")).rejects.toThrow(
      "index.mdb: the file is damaged: document 1 is missing",
    );
    await index.close();

    const twice = await grouped();
    await change(twice.path, (database) => {
      const { key, value } = firstGroup(database);
      database.documents.putSync(key - 1, value);
    });
    const { problems } = await Sluice.verify(twice.path);
    expect(problems.join("\n")).toMatch(/index.mdb: the group up to \d+ reaches into the one before/);

    const path = await small();
    await change(path, (database) => {
      const lines = Buffer.from('\n{"text":"two"}\n{"text":"two three"}\n');
      const block = { firstSerial: 1, lines: 3, docs: 2, jsonBytes: lines.length, bytes: lines.length };
      for (const key of [...database.documents.getKeys({})]) database.documents.removeSync(key);
      database.documents.putSync(3, packGroup([{ ...block, checksum: crc32(lines), content: lines }], 0));
    });
    expect((await Sluice.verify(path)).problems.join("\n")).toMatch(/is in a group of segment 000001-\w+$/);
  });
});

describe("what is there", () => {
  test("a folder with other things in it is no place for an index", async () => {
    const path = folder();
    mkdirSync(path);
    writeFileSync(join(path, "notes.txt"), "");
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow(
      "holds other things, such as notes.txt",
    );
    expect(await Sluice.exists(path)).toBe(false);
    await expect((await Sluice.build([], { encoder: "none" })).save(path)).rejects.toThrow(
      "holds other things",
    );
    await expect(Sluice.open(join(path, "notes.txt"), { encoder: "none" })).rejects.toThrow(
      "is a file, expected the folder of an index",
    );
    await expect(Sluice.open(join(path, "notes.txt", "x"), { encoder: "none" })).rejects.toThrow(
      "no such file or folder",
    );
  });

  test.each([
    ["the commit record", (key: string) => key === "commit"],
    ["all records", () => true],
  ])("damage that hides %s is an error, and a writer removes nothing", async (_, isHidden) => {
    const path = await small();
    const before = segmentsOf(path);
    await change(path, (database) => {
      for (const key of [...database.records.getKeys({})])
        if (isHidden(key)) database.records.removeSync(key);
    });
    for (const readOnly of [true, false]) {
      await expect(Sluice.open(path, { encoder: "none", readOnly })).rejects.toMatchObject({
        code: "ERR_SLUICE_DAMAGED",
        message: expect.stringContaining("the commit record is missing, but there was a commit"),
      });
    }
    expect(await Sluice.exists(path)).toBe(true);
    expect(segmentsOf(path)).toEqual(before);
  });

  test("a segment alone is no index, and a folder that vanished is said so", async () => {
    const path = await small();
    const [file] = segmentsOf(path);
    await expect(Sluice.open(file, { encoder: "none" })).rejects.toThrow(
      "is a file, expected the folder of an index",
    );
    const index = await Sluice.open(path, { encoder: "none" });
    await index.add([{ id: "d", text: "four", vector: [0, 0] }]);
    rmSync(path, { recursive: true });
    await expect(index.commit()).rejects.toThrow("no such file or folder");
    await expect(index.commit()).rejects.toBeInstanceOf(SluiceError);
    expect((await index.search(asked)).hits.map(({ id }) => id)).toEqual(["c", "b"]);
    await index.close();
  });

  test("pages of the database that are zero are one clear error, or nobody's", async () => {
    const path = await small();
    const file = join(path, "index.mdb");
    const bytes = readFileSync(file);
    let noticed = 0;
    for (let page = 2; page * 4096 < bytes.length; page++) {
      const zeroed = Buffer.from(bytes);
      zeroed.fill(0, page * 4096, (page + 1) * 4096);
      writeFileSync(file, zeroed);
      const { problems } = await Sluice.verify(path);
      noticed += Number(problems.length > 0);
      for (const problem of problems) expect(problem).toContain(file);
      writeFileSync(file, bytes);
    }
    expect(noticed).toBeGreaterThan(0);
    expect((await Sluice.verify(path)).problems).toEqual([]);
  });

  test.each([4, 6])("format %i is refused, with both versions", async (version) => {
    const path = folder();
    await (await Sluice.build([{ id: "a", text: "x" }], { encoder: "none" })).save(path);
    const [name] = readdirSync(join(path, "segments"));
    const file = join(path, "segments", name);
    const bytes = readFileSync(file);
    bytes.writeUInt32LE(version, 8);
    writeFileSync(file, bytes);
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow(
      `format ${version}; this build reads format 5`,
    );
  });

  test.each<[{ semanticDims?: number; settings?: { dims: number } }, string]>([
    [{ semanticDims: 3 }, "a segment has vectors with 2 dimensions, but the index 3"],
    [{ settings: { dims: 3 } }, "a segment has rows of 4 slices, but the index 3"],
  ])("a record of another index is refused: %j", async (other, message) => {
    const path = await small();
    const database = await LmdbDatabase.open(path, { create: false });
    const record = readCommit(database)!;
    const settings = { ...record.settings, ...other.settings };
    database.write(() => putCommit(database, { ...record, ...other, settings }));
    await database.close();
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toThrow(message);
    expect((await Sluice.verify(path)).problems.join("\n")).toContain(message);
  });

  test.each([
    [null, "null"],
    ["3", '"3"'],
    [[3], "a list"],
    [{ toString: 3 }, "an object"],
    [undefined, "undefined"],
  ])("a record of format %j is refused", async (version, said) => {
    const path = folder();
    await (await Sluice.build([{ id: "a", text: "x" }], { encoder: "none" })).save(path);
    const database = await LmdbDatabase.open(path, { create: false });
    const record = readCommit(database)!;
    database.write(() => putCommit(database, { ...record, version: version as never }));
    await database.close();
    await expect(Sluice.open(path, { encoder: "none" })).rejects.toMatchObject({
      message: expect.stringContaining(`format ${said}; this build reads format 5`),
      hint: "restore it from a copy, or build the index again",
      code: "ERR_SLUICE_FORMAT",
    });
  });
});

/** Changes the values of a table, behind the back of everything else. */
async function change(path: string, work: (database: LmdbDatabase) => void): Promise<void> {
  const database = await LmdbDatabase.open(path, { create: false });
  database.write(() => work(database));
  await database.close();
}
