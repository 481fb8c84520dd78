// Nodes and writers are killed. What was acknowledged must be there, and no answer may be partial or wrong.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";
import { COUNTER, Expected } from "../helpers/durability-script.ts";
import type { TestCluster } from "../helpers/test-cluster.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const outDir = join(repository, "node_modules", ".cache", `sluice-cluster-${process.pid}`);
/** Documents of a commit. */
const DOCS = 20;

/** Writes and searches until `enough`, and counts what happened. Every document says which commit it came with. */
async function writeAndSearch(address: string, enough: (commits: number) => boolean) {
  const writer = await Sluice.open(address, { encoder: "none" });
  let commits = writer.docs / DOCS;
  let [searches, isDone, slowestMs] = [0, false, 0];
  const write = async () => {
    while (!enough(commits)) {
      const start = performance.now();
      await writer.add(
        Array.from({ length: DOCS }, (_, i) => ({ id: `${commits}-${i}`, text: "boat", commit: commits })),
      );
      await writer.commit();
      slowestMs = Math.max(slowestMs, performance.now() - start);
      commits++;
    }
    isDone = true;
  };
  const search = async () => {
    const reader = await Sluice.open(address, { encoder: "none" });
    while (!isDone) {
      const least = commits; // acknowledged before the search began
      await reader.refresh();
      const { hits } = await reader.search("boat", { k: 10_000 });
      searches++;
      const byCommit = new Map<unknown, number>();
      for (const { document } of hits)
        byCommit.set(document.commit, (byCommit.get(document.commit) ?? 0) + 1);
      expect(
        [...byCommit.values()].every((count) => count === DOCS),
        "whole commits only",
      ).toBe(true);
      expect(byCommit.size, "acknowledged commits").toBeGreaterThanOrEqual(least);
      expect(hits.length).toBe(reader.docs);
    }
    await reader.close();
  };
  await Promise.all([write(), search()]);
  await writer.close();
  return { commits, searches, slowestMs };
}

export function testFaults(clusterOf: () => TestCluster): void {
  afterAll(() => rmSync(outDir, { recursive: true, force: true }));

  test.each(["the manager", "a data node"])("%s is killed during writes and searches", async (what) => {
    const cluster = clusterOf();
    const address = cluster.address(`killed-${what.replaceAll(" ", "-")}`);
    await writeAndSearch(address, (commits) => commits >= 3);
    await cluster.wait(3, "green");
    const manager = await cluster.findManager();
    const victim = what === "the manager" ? manager : (manager + 1) % 3;
    let [killed, isReplaced]: [Promise<void> | undefined, boolean] = [undefined, false];
    const replace = async () => {
      await cluster.killNode(victim);
      await cluster.wait(2); // with another manager, and another first copy of each shard
      isReplaced = true;
    };
    const { commits, searches, slowestMs } = await writeAndSearch(address, (commits) => {
      if (commits >= 6) killed ??= replace();
      return commits >= 16 && isReplaced;
    });
    await killed;
    expect(await cluster.findManager()).not.toBe(victim);
    console.log(
      `${what} killed: ${commits} commits, ${searches} searches, the slowest commit took ${Math.round(slowestMs)} ms`,
    );
    const reader = await Sluice.open(address, { readOnly: true });
    expect(reader.docs).toBe(DOCS * commits);
    expect((await reader.search("boat", { k: 10_000 })).hits.length).toBe(DOCS * commits);
    expect((await Sluice.verify(address)).problems).toEqual([]);
    await reader.close();
    cluster.startNode(victim);
    await cluster.wait(3, "green");
  });

  test("a writer is killed at random moments: every acknowledged commit is there, and no half one", async () => {
    await buildChild();
    const address = clusterOf().address("writer-killed");
    let acknowledged = 0;
    for (const [round, workMs] of [3000, 4500, 2500, 6000, 3500].entries()) {
      acknowledged = Math.max(acknowledged, await killedWriter(address, workMs));
      const index = await Sluice.open(address, { encoder: "none", dims: 16 });
      const counter = (await index.has(COUNTER)) ? ((await index.document(COUNTER)).commit as number) : 0;
      expect(counter, `round ${round}`).toBeGreaterThanOrEqual(acknowledged);
      const expected = new Expected().to(counter);
      const ids = await index.listIds();
      expect([...ids].sort()).toEqual(expected.ids.sort());
      for (const [i, fields] of (await index.documents(ids)).entries())
        expect(fields).toEqual(expected.documents.get(ids[i]));
      await index.close();
    }
    expect((await Sluice.verify(address)).problems).toEqual([]);
    console.log(`5 writers killed, ${acknowledged} acknowledged commits`);
    expect(acknowledged).toBeGreaterThan(3);
  });

  test("a writer is killed in the middle of a bulk: nobody sees what it sent, and it is removed later", async () => {
    await buildChild();
    const cluster = clusterOf();
    const address = cluster.address("bulk-killed");
    const ask = async (path: string, method = "GET") =>
      (await fetch(`${cluster.urls[0]}/${path}`, { method })).json() as Promise<never>;
    const child = await startChild("bulk", address);
    const { _source: commit }: { _source: { documents: string } } = await ask("bulk-killed/_doc/commit");
    const received = async () => {
      interface Stats {
        readonly _all: { readonly primaries: { readonly indexing: { readonly index_total: number } } };
      }
      const { _all }: Stats = await ask(`${commit.documents}/_stats/indexing`);
      return _all.primaries.indexing.index_total;
    };
    await expect.poll(received, { timeout: 120_000 }).toBeGreaterThan(2000);
    await child.kill();

    const index = await Sluice.open(address, { encoder: "none" });
    const found = async () => (await index.search("boat", { k: 1000 })).hits.map(({ id }) => id).sort();
    expect(await index.listIds()).toEqual([COUNTER]);
    expect(await found()).toEqual([COUNTER]);
    for (const id of ["ahead 0", "new"]) {
      await index.add([{ id, text: "boat" }]); // also an id that the killed writer had sent
      await index.commit();
    }
    expect(index.docs).toBe(3);
    expect(await found()).toEqual(["ahead 0", COUNTER, "new"]);
    expect((await Sluice.verify(address)).problems).toEqual([]);
    await index.close();
    const stored = async () => {
      await ask(`${commit.documents}/_refresh`, "POST");
      const { count }: { count: number } = await ask(`${commit.documents}/_count`);
      return count;
    };
    await expect.poll(stored, { timeout: 120_000 }).toBe(3);
  });

  test("two of three nodes are killed: errors, never a shorter list, and then everything is back", async () => {
    const cluster = clusterOf();
    const address = cluster.address("two-killed");
    await writeAndSearch(address, (commits) => commits >= 10);
    await cluster.wait(3, "green");
    const reader = await Sluice.open(address, { cluster: { patienceMs: 4000 } });
    for (const victim of [1, 2]) await cluster.killNode(victim);
    const all = 10 * DOCS;
    const ways: Record<string, () => Promise<number>> = {
      search: async () => (await reader.search("boat", { k: 10_000 })).hits.length,
      filter: async () =>
        (await reader.search("boat", { k: 10_000, filter: { commit: { gte: 0 } } })).hits.length,
      total: async () => (await reader.list({ limit: 0 })).total,
      ids: async () => (await reader.listIds()).length,
      fields: async () => (await reader.fields()).find(({ name }) => name === "commit")!.docs,
    };
    let [whole, refused] = [0, 0];
    for (const [way, count] of [...Object.entries(ways), ...Object.entries(ways)]) {
      const found = await count().catch((error) => error as Error & { code?: string });
      if (found instanceof Error) {
        expect(found).toMatchObject({
          code: "ERR_SLUICE_CLUSTER",
          message: expect.stringContaining("the cluster did not answer within 4 s"),
        });
        refused++;
      } else {
        expect(found, way).toBe(all);
        whole++;
      }
    }
    let added = 0; // adding asks the cluster for the id, and may fail already
    const written = await reader
      .add([{ id: "x", text: "boat" }])
      .then((count) => {
        added = count;
        return reader.commit();
      })
      .catch((error) => error as Error & { code?: string });
    expect(written).toMatchObject({ code: "ERR_SLUICE_CLUSTER" });
    console.log(`two of three killed: ${refused} questions refused, ${whole} answered whole, 0 partial`);
    for (const victim of [1, 2]) cluster.startNode(victim);
    await cluster.wait(3); // the first copies are enough: OpenSearch may take long over the others
    for (const [way, count] of Object.entries(ways)) expect(await count(), way).toBe(all);
    await reader.commit(); // what waited is not lost
    expect(reader.docs).toBe(all + added);
    await reader.close();
  });
}

/** Makes one file of the child, which node runs without the transforms of the tests. */
async function buildChild(): Promise<void> {
  if (existsSync(join(outDir, "child.mjs"))) return;
  await build({
    configFile: false,
    root: repository,
    logLevel: "error",
    build: {
      ssr: "test/helpers/durability-child.ts",
      outDir,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "child.mjs" } },
    },
  });
}

interface RunningChild {
  /** Kills it, and returns its last acknowledged commit. */
  kill(): Promise<number>;
}

/**
 * Starts a child, and waits for its first commit. A request of a killed writer may reach the cluster after the next writer
 * began: that one is refused then, and another is started.
 */
async function startChild(command: "write" | "bulk", address: string, chances = 3): Promise<RunningChild> {
  const child: ChildProcess = spawn(process.execPath, [join(outDir, "child.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let last = 0;
  const closed = new Promise<void>((resolve) => child.once("close", resolve));
  const begun = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const [word, number] = line.split(" ");
      if (word !== "ack") return;
      last = Number(number);
      resolve();
    });
  });
  child.stdin!.write(`${command}\t${address}\n`);
  await Promise.race([begun, closed]);
  if (last === 0) {
    if (chances === 0) throw new Error("no writer made a commit");
    return startChild(command, address, chances - 1);
  }
  return {
    async kill() {
      expect(child.exitCode, "the writer ended by itself").toBe(null);
      child.kill("SIGKILL");
      await closed;
      return last;
    },
  };
}

/** Starts a writer, kills it so many ms after its first commit, and returns its last acknowledged commit. */
async function killedWriter(address: string, workMs: number): Promise<number> {
  const child = await startChild("write", address);
  await pause(workMs);
  return child.kill();
}
