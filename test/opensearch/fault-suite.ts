// Nodes and writers are killed. What was acknowledged must be there, and no answer may be partial or wrong.

import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { expect, test } from "vitest";
import type { TestCluster } from "../../bench/opensearch/test-cluster.ts";
import { Sluice } from "../../src/index.ts";
import { COUNTER, Expected } from "../helpers/durability-script.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const outDir = join(repository, "node_modules", ".cache", `sluice-cluster-${process.pid}`);
/** Documents of a commit. */
const DOCS = 20;

/** Writes and searches until `enough`, and counts what happened. Every document says which commit it came with. */
async function writeAndSearch(address: string, enough: (commits: number) => boolean) {
  const writer = await Sluice.open(address, { encoder: "none" });
  let commits = writer.size / DOCS;
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
      expect(hits.length).toBe(reader.size);
    }
    await reader.close();
  };
  await Promise.all([write(), search()]);
  await writer.close();
  return { commits, searches, slowestMs };
}

export function testFaults(clusterOf: () => TestCluster): void {
  test.each(["the manager", "a data node"])("%s is killed during writes and searches", async (what) => {
    const cluster = clusterOf();
    const address = cluster.address(`killed-${what.replaceAll(" ", "-")}`);
    await writeAndSearch(address, (commits) => commits >= 3);
    await cluster.wait(3, "green");
    const manager = await cluster.findManager();
    const victim = what === "the manager" ? manager : (manager + 1) % 3;
    let killed: Promise<void> | undefined;
    const { commits, searches, slowestMs } = await writeAndSearch(address, (commits) => {
      if (commits >= 6) killed ??= cluster.killNode(victim);
      return commits >= 16;
    });
    await killed;
    console.log(
      `${what} killed: ${commits} commits, ${searches} searches, the slowest commit took ${Math.round(slowestMs)} ms`,
    );
    const reader = await Sluice.open(address, { readOnly: true });
    expect(reader.size).toBe(DOCS * commits);
    expect((await reader.search("boat", { k: 10_000 })).hits.length).toBe(DOCS * commits);
    expect((await Sluice.verify(address)).problems).toEqual([]);
    await reader.close();
    cluster.startNode(victim);
    await cluster.wait(3, "green");
  });

  test("a writer is killed at random moments: every acknowledged commit is there, and no half one", async () => {
    await build({
      configFile: false,
      root: repository,
      logLevel: "error",
      build: {
        ssr: "test/helpers/durability-child.ts",
        outDir,
        emptyOutDir: true,
        target: "node20",
        rollupOptions: { output: { entryFileNames: "child.mjs" } },
      },
    });
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
    rmSync(outDir, { recursive: true, force: true });
  });

  test("two of three nodes are killed: errors, never a shorter list, and then everything is back", async () => {
    const cluster = clusterOf();
    const address = cluster.address("two-killed");
    await writeAndSearch(address, (commits) => commits >= 10);
    await cluster.wait(3, "green");
    const reader = await Sluice.open(address, { cluster: { patienceMs: 4000 } });
    for (const victim of [1, 2]) await cluster.killNode(victim);
    let [whole, refused] = [0, 0];
    for (let i = 0; i < 6; i++) {
      const answer = await reader
        .search("boat", { k: 10_000 })
        .catch((error) => error as Error & { code?: string });
      if (answer instanceof Error) {
        expect(answer.code).toBe("ERR_SLUICE_CLUSTER");
        refused++;
      } else {
        expect(answer.hits.length).toBe(10 * DOCS);
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
    console.log(`two of three killed: ${refused} searches refused, ${whole} answered whole, 0 partial`);
    for (const victim of [1, 2]) cluster.startNode(victim);
    await cluster.wait(3, "green");
    expect((await reader.search("boat", { k: 10_000 })).hits.length).toBe(10 * DOCS);
    await reader.commit(); // what waited is not lost
    expect(reader.size).toBe(10 * DOCS + added);
    await reader.close();
  });
}

/**
 * Starts a writer, kills it after its first commit and so many ms more, and returns its last acknowledged commit. A request of a
 * killed writer may reach the cluster after the next one began: that one is refused then, and another is started.
 */
async function killedWriter(address: string, workMs: number, chances = 3): Promise<number> {
  const child: ChildProcess = spawn(process.execPath, [join(outDir, "child.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let last = 0;
  const begun = new Promise<boolean>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const [word, number] = line.split(" ");
      if (word !== "ack") return;
      last = Number(number);
      resolve(true);
    });
    child.once("exit", () =>
      chances > 0 && last === 0 ? resolve(false) : reject(new Error("the writer ended by itself")),
    );
  });
  child.stdin!.write(`write\t${address}\n`);
  if (!(await begun)) return killedWriter(address, workMs, chances - 1);
  await pause(workMs);
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await ended;
  return last;
}
