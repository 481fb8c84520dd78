// What becomes of the groups of documents when documents are replaced and deleted, and when segments merge.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import { Sluice } from "../../src/sluice.ts";
import { LmdbDatabase } from "../../src/store/database/lmdb-database.ts";
import { Group } from "../../src/store/packed/group.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

const folder = () => join(mkdtempSync(join(tmpdir(), "sluice-groups-")), "index");
const OPTIONS = { dims: 8, analyzer: whitespace };

async function groupsOf(path: string) {
  const database = await LmdbDatabase.open(path, { create: false });
  const groups = Array.from(
    database.documents.getRange({}),
    ({ key, value }) => new Group(Buffer.from(value), key, path),
  );
  const dictionaries = [...database.dictionaries.getKeys({})];
  await database.close();
  return { groups, dictionaries, docs: groups.reduce((sum, { docs }) => sum + docs, 0) };
}

/** A text of about so many bytes. */
function text(random: () => number, bytes: number): string {
  return Array.from({ length: bytes / 5 }, () => `w${Math.floor(random() ** 2 * 900)}`).join(" ");
}

const many = (count: number, bytes: number, from = 0) => {
  const random = mulberry32(count + from);
  return Array.from({ length: count }, (_, i) => ({ id: `d${from + i}`, text: text(random, bytes) }));
};

describe("groups", () => {
  test("of small commits are joined when their segments merge, and get a dictionary", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", ...OPTIONS });
    const documents = many(256, 1500);
    for (const document of documents) {
      await index.add([document]);
      await index.commit();
    }
    await index.idle();
    const { groups, dictionaries } = await groupsOf(path);
    expect(groups.length).toBeLessThan(24);
    expect(dictionaries).toHaveLength(1);
    await index.refresh();
    for (const { id, text } of documents) expect(await index.document(id)).toEqual({ text });
    await index.optimize();
    const { groups: left } = await groupsOf(path);
    expect(left.length).toBeLessThan(8);
    for (const { dictionary } of left) expect(dictionary).toBe(dictionaries[0]);
    for (const { id, text } of documents) expect(await index.document(id)).toEqual({ text });
    await index.close();
    expect((await Sluice.verify(path)).problems).toEqual([]);
  });

  test("keep what was deleted until a merge; then those with much of it are written again, the others stay", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", ...OPTIONS });
    await index.add(many(1000, 1500));
    await index.commit();
    const before = await groupsOf(path);
    expect(before.docs).toBe(1000);
    // Nearly all of the first half, in whole groups; of the second half one in fifty.
    const gone = many(1000, 1500)
      .map(({ id }) => id)
      .filter((_, i) => (i < 500 ? i > 3 : i % 50 === 0));
    await index.delete(gone);
    await index.commit();
    for (const id of gone.slice(0, 3)) await expect(index.document(id)).rejects.toThrow(id);
    await index.idle();
    const after = await groupsOf(path);
    expect(after.docs).toBeLessThan(600);
    expect(after.docs).toBeGreaterThan(1000 - gone.length);
    expect(after.groups.at(-2)?.first).toBe(before.groups.at(-2)?.first);
    await index.optimize();
    expect((await groupsOf(path)).docs).toBe(1000 - gone.length);
    await index.delete(await index.listIds());
    await index.commit();
    expect((await groupsOf(path)).groups).toEqual([]);
    await index.close();
    expect((await Sluice.verify(path)).problems).toEqual([]);
  });

  test("of documents that were all replaced go with the merge, though their segment begins behind them", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", ...OPTIONS });
    await index.add(many(400, 1500));
    await index.commit();
    for (let i = 0; i < 4; i++) {
      await index.upsert(many(75, 1500, i * 75));
      await index.commit();
    }
    await index.optimize();
    expect((await groupsOf(path)).docs).toBe(400);
    await index.close();
    expect((await Sluice.verify(path)).problems).toEqual([]);
  });

  test("that were written before their commit are gone when it is rolled back, with their dictionary", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", ...OPTIONS, bufferBytes: 300_000 });
    await index.add([{ id: "first", text: "alone" }]);
    await index.commit();
    await index.add(many(600, 1500));
    expect((await groupsOf(path)).dictionaries).toHaveLength(1);
    await index.rollback();
    expect(await groupsOf(path)).toMatchObject({ docs: 1, dictionaries: [] });
    await index.add(many(600, 900));
    await index.commit();
    expect(await index.document("d7")).toEqual({ text: many(600, 900)[7].text });
    await index.close();
    const again = await Sluice.open(path, {
      encoder: "none",
      ...OPTIONS,
      overwrite: true,
      bufferBytes: 300_000,
    });
    await again.add(many(500, 1500));
    await again.commit();
    expect((await groupsOf(path)).docs).toBe(500);
    expect((await groupsOf(path)).dictionaries).toHaveLength(1);
    expect(await again.document("d7")).toEqual({ text: many(500, 1500)[7].text });
    await again.close();
    expect((await Sluice.verify(path)).problems).toEqual([]);
  });
});

test.each([1, 2, 3])(
  "random changes of many documents, %i: the index holds what a Map holds",
  async (seed) => {
    const random = mulberry32(seed);
    const path = folder();
    const options = { ...OPTIONS, bufferBytes: seed === 2 ? 400_000 : undefined };
    let index = await Sluice.open(path, { encoder: "none", ...options });
    const expected = new Map<string, string>();
    let [read, missing] = [0, 0];
    for (let round = 0; round < 25; round++) {
      const ids = [...expected.keys()];
      const deleted = ids.filter(() => random() < (round % 6 === 5 ? 0.6 : 0.03));
      await index.delete(deleted);
      for (const id of deleted) expected.delete(id);
      const upserted = Array.from({ length: random() < 0.5 ? 3 : 150 }, () => ({
        id: `d${Math.floor(random() * 1500)}`,
        text: text(random, random() < 0.02 ? 50_000 : 1200 * random()),
      }));
      await index.upsert(upserted);
      for (const { id, text } of upserted) expected.set(id, text);
      await index.commit();
      if (random() < 0.3) await index.idle();
      if (round === 20) await index.optimize();
      if (random() < 0.2) {
        await index.close();
        index = await Sluice.open(path, { encoder: "none", ...options });
      }
      const sample = [...expected].filter(() => random() < 0.2);
      for (const [id, text] of sample) expect(await index.document(id)).toEqual({ text });
      const gone = deleted.slice(0, 5).filter((id) => !expected.has(id));
      for (const id of gone) await expect(index.document(id)).rejects.toThrow(id);
      read += sample.length;
      missing += gone.length;
    }
    expect(read).toBeGreaterThan(100);
    expect(missing).toBeGreaterThan(10);
    await index.idle();
    await index.refresh();
    expect(new Set(await index.listIds())).toEqual(new Set(expected.keys()));
    for (const [id, text] of expected) expect(await index.document(id)).toEqual({ text });
    expect((await Sluice.verify(path)).problems).toEqual([]);
    await index.optimize();
    for (const [id, text] of expected) expect(await index.document(id)).toEqual({ text });
    expect((await groupsOf(path)).docs).toBe(expected.size);
    await index.close();
    expect((await Sluice.verify(path)).problems).toEqual([]);
  },
);
