// A signal stops commits, merges, copies, checks and explanations, and nothing is lost by it.

import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Sluice } from "../../src/sluice.ts";
import type { Progress } from "../../src/support/options/progress.ts";

const DOCS = 2500;
const folder = () => join(mkdtempSync(join(tmpdir(), "sluice-stopped-")), "index");
const REASON = new Error("enough");

const documents = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: String(first + i),
    text: `gate ${(first + i) % 7} water ${(first + i) % 11}`,
    vector: [Math.sin(first + i), Math.cos(first + i)],
  }));

/** Options whose signal is aborted when a stage first reports its progress. */
function stoppedAt(task: Progress["task"]) {
  const controller = new AbortController();
  const onProgress = (progress: Progress) => {
    if (progress.task === task) controller.abort(REASON);
  };
  return { signal: controller.signal, onProgress };
}

const query = { text: "gate 3 water", vector: [1, 0] };
const found = async (index: Sluice) =>
  (await index.search(query, { k: 50 })).hits.map(({ id, score }) => [id, score]);

test.each(["in a folder", "in memory"])(
  "a commit that is stopped leaves its changes pending: %s",
  async (where) => {
    const index =
      where === "in memory"
        ? await Sluice.build(documents(0, 0), { encoder: "none" })
        : await Sluice.open(folder(), { encoder: "none" });
    await index.add(documents(0, DOCS));
    await expect(index.commit({ signal: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    await expect(index.commit(stoppedAt("densifying"))).rejects.toBe(REASON);
    expect(index.docs).toBe(0);
    await index.add(documents(DOCS, 10));
    await index.delete(["7", String(DOCS + 1)]);
    await index.commit();
    expect(index.docs).toBe(DOCS + 8);
    const expected = await Sluice.build(
      documents(0, DOCS + 10).filter(({ id }) => id !== "7" && id !== String(DOCS + 1)),
      { encoder: "none" },
    );
    expect(await found(index)).toEqual(await found(expected));
    if (index.location) expect((await Sluice.verify(index.location)).problems).toEqual([]);
    await index.close();
  },
);

test("a delete by ids that is stopped keeps the documents after the one where it stopped", async () => {
  await using index = await Sluice.build(documents(0, 4), { encoder: "none" });
  for (const withPassages of [false, true]) {
    await expect(index.delete(["0"], { withPassages, signal: AbortSignal.abort(REASON) })).rejects.toBe(
      REASON,
    );
    const controller = new AbortController();
    // The signal is asked once for each document.
    let asked = 0;
    Object.defineProperty(controller.signal, "throwIfAborted", {
      value: () => {
        if (++asked > 2) throw REASON;
      },
    });
    await expect(index.delete(["0", "1", "2"], { withPassages, signal: controller.signal })).rejects.toBe(
      REASON,
    );
    await index.rollback();
  }
  expect(await index.delete(["0", "1"])).toEqual({ deleted: 2 });
});

test("after a commit that is stopped, a rollback forgets the changes", async () => {
  const index = await Sluice.open(folder(), { encoder: "none" });
  await index.add(documents(0, 10));
  await index.commit();
  await index.add(documents(10, DOCS));
  await expect(index.commit(stoppedAt("densifying"))).rejects.toBe(REASON);
  await index.rollback();
  await index.commit();
  expect(index.docs).toBe(10);
  await index.close();
});

test("an optimize that is stopped keeps the commit, and the next one goes on", async () => {
  const path = folder();
  const index = await Sluice.open(path, { encoder: "none" });
  for (let first = 0; first < 3 * DOCS; first += DOCS) {
    await index.add(documents(first, DOCS));
    await index.commit();
  }
  await index.idle();
  await index.upsert(documents(0, 1));
  await expect(index.optimize({ signal: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
  await expect(index.optimize(stoppedAt("merging"))).rejects.toBe(REASON);
  expect(index.docs).toBe(3 * DOCS);
  const before = index.info().segments.length;
  expect(before).toBeGreaterThan(1);
  expect((await Sluice.verify(path)).problems).toEqual([]);
  await index.optimize();
  expect(index.info().segments).toHaveLength(1);
  expect(index.docs).toBe(3 * DOCS);
  await index.close();
});

test("an explanation and a build are stopped", async () => {
  const index = await Sluice.build(documents(0, 3), { encoder: "none" });
  const signal = AbortSignal.abort(REASON);
  await expect(index.explain(query, "1", { signal })).rejects.toBe(REASON);
  await expect(index.explainQuery(query, { signal })).rejects.toBe(REASON);
  await expect(
    Sluice.build(documents(0, DOCS), { encoder: "none", ...stoppedAt("densifying") }),
  ).rejects.toBe(REASON);
});

test("a save, a backup, a restore and a check are stopped, and leave nothing behind", async () => {
  const parent = folder();
  const [saved, copy, restored] = ["saved", "copy", "restored"].map((name) => join(parent, name));
  const memory = await Sluice.build(documents(0, DOCS), { encoder: "none" });
  const seen: Progress[] = [];
  await expect(memory.save(saved, stoppedAt("saving"))).rejects.toBe(REASON);
  expect(await Sluice.exists(saved)).toBe(false);
  await memory.save(saved, { onProgress: (progress) => seen.push(progress) });
  expect(seen.at(-1)).toEqual({ task: "saving", done: DOCS, total: DOCS });
  const index = await Sluice.open(saved, { readOnly: true });
  for (const options of [{ signal: AbortSignal.abort(REASON) }, stoppedAt("verifying")]) {
    await expect(index.backup(copy, options)).rejects.toBe(REASON);
    await expect(Sluice.restore(saved, restored, options)).rejects.toBe(REASON);
    await expect(Sluice.verify(saved, options)).rejects.toBe(REASON);
  }
  expect(readdirSync(parent)).toEqual(["saved"]);
  await expect(index.save(copy)).rejects.toMatchObject({
    hint: "backup(folder) copies an index of a folder into another, save(address) to a cluster",
  });
  await index.close();
});

test("a repair is stopped, and no index is there", async () => {
  const [path, into] = [folder(), folder()];
  await (await Sluice.build(documents(0, DOCS), { encoder: "none" })).save(path);
  const stops = (["verifying", "reading", "densifying"] as const).map(stoppedAt);
  for (const options of [{ signal: AbortSignal.abort(REASON) }, ...stops]) {
    await expect(Sluice.repair(path, into, options)).rejects.toBe(REASON);
    expect(await Sluice.exists(into)).toBe(false);
  }
  const seen: Progress[] = [];
  const { docs } = await Sluice.repair(path, into, { onProgress: (progress) => seen.push(progress) });
  expect(docs).toBe(DOCS);
  expect(new Set(seen.map(({ task }) => task))).toEqual(new Set(["verifying", "reading", "densifying"]));
});
