import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Sluice } from "../../src/sluice.ts";

/** Longer than a snapshot stays open. */
const LONG_MS = 31_000;

const made: string[] = [];
const openIndexes: Sluice[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(async () => {
  vi.useRealTimers();
  for (const index of openIndexes.splice(0)) await index.close();
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

function newFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "lazy-"));
  made.push(parent);
  return join(parent, "index");
}

async function openIn(where: "memory" | "a folder"): Promise<Sluice> {
  const folder = newFolder();
  const index =
    where === "memory"
      ? await Sluice.build([], { encoder: "none" })
      : await Sluice.open(folder, { encoder: "none" });
  openIndexes.push(index);
  return index;
}

/** Lets the time pass after which old snapshots close. */
async function waitLong(index: Sluice): Promise<void> {
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await index.idle();
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(["memory", "a folder"] as const)("the hits of an index in %s", (where) => {
  test("have their documents long after later commits replaced and deleted them", async () => {
    const index = await openIn(where);
    const documents = Array.from({ length: 40 }, (_, i) => ({ id: `${i}`, text: `water ${i}`, n: i }));
    await index.add(documents);
    await index.commit();
    const { hits } = await index.search("water", { k: 40 });
    const [read] = hits;
    const first = read.document;
    const old = index.info().segments.length;
    for (let round = 0; round < 12; round++) {
      await index.upsert([{ id: `${round}`, text: `water again ${round}`, n: -1 }]);
      await index.delete([`${20 + round}`]);
      await index.commit();
    }
    await index.optimize();
    await waitLong(index);
    expect(old).toBe(1);
    expect(read.document).toBe(first);
    for (const { id, document } of hits) expect(document).toEqual({ text: `water ${id}`, n: Number(id) });
    expect(await index.document("3")).toEqual({ text: "water again 3", n: -1 });
  });

  test("are readable after each of many moves", async () => {
    const index = await openIn(where);
    await index.add([{ id: "a", text: "first water" }]);
    await index.commit();
    const { hits } = await index.search("water");
    for (let round = 0; round < 3; round++) {
      await index.upsert([{ id: `b${round}`, text: "more water" }]);
      await index.commit();
      await waitLong(index);
    }
    await index.delete(["a"]);
    await index.commit();
    await waitLong(index);
    expect(hits[0].document).toEqual({ text: "first water" });
  });

  test("say so when the index was closed before they were read", async () => {
    const index = await openIn(where);
    await index.add([
      { id: "a", text: "first water" },
      { id: "b", text: "second water" },
    ]);
    await index.commit();
    const { hits } = await index.search("water");
    const { document } = hits[0];
    await index.close();
    expect(hits[0].document).toBe(document);
    expect(() => hits[1].document).toThrow(
      expect.objectContaining({ code: "ERR_SLUICE_CLOSED", hint: expect.stringContaining("hit.document") }),
    );
  });
});

test("an index that replaces another does not change the hits of the other", async () => {
  const folder = newFolder();
  const reader = await Sluice.open(folder, { encoder: "none" });
  openIndexes.push(reader);
  await reader.add([{ id: "a", text: "first water" }]);
  await reader.commit();
  const { hits } = await reader.search("water");
  await reader.close();
  const again = await Sluice.open(folder, { readOnly: true });
  openIndexes.push(again);
  const { hits: later } = await again.search("water");
  // A copy has the serial numbers of its source, so another document has the same one now.
  const other = await Sluice.build([{ id: "a", text: "other water" }], { encoder: "none" });
  await other.save(folder, { overwrite: true });
  await other.close();
  expect(await again.refresh()).toBe(true);
  await waitLong(again);
  expect(await again.document("a")).toEqual({ text: "other water" });
  expect(later[0].document).toEqual({ text: "first water" });
  expect(() => hits[0].document).toThrow("the index was closed");
});
