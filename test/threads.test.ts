// Several threads over shared memory return the same as one thread: the documents and scores of the definition.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bundle } from "../scripts/bundle-tests.mjs";
import { type Row, type Rows, RowsBuilder } from "../src/densify/rows.ts";
import type { Plan } from "../src/query/plan/plan.ts";
import { searchByDefinition } from "../src/rank/definition.ts";
import { withBlocks } from "../src/segment/columns/field-numbers.ts";
import { roundToFloat16 } from "../src/support/numbers/float16.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import { waitForTurn } from "../src/support/work/turns.ts";
import type * as Entry from "./helpers/threads-entry.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for the build, and has large indexes

let outDir: string;
let entry: typeof Entry;

beforeAll(async () => {
  const input = {
    threads: "test/helpers/threads-entry.ts",
    "scan-thread": "src/scan/wasm/scan-thread.ts",
    "build-thread": "src/ingest/build/build-thread.ts",
  };
  outDir = await bundle("threads", input, { entryFileNames: "[name].js", chunkFileNames: "[name].js" });
  entry = await import(/* @vite-ignore */ pathToFileURL(join(outDir, "threads.js")).href);
});

afterAll(() => rmSync(outDir, { recursive: true, force: true }));

const random = mulberry32(11);

function randomRow(dims: number, filled: number): Row {
  const slices = Array.from({ length: dims }, (_, slice) => slice).filter(() => random() < filled);
  return {
    slices: Uint32Array.from(slices),
    indices: Uint16Array.from(slices, () => Math.floor(5 * random() ** 2)),
    values: Float32Array.from(slices, () => roundToFloat16(Math.ceil(8 * random()) / 8)),
  };
}

function randomVector(dims: number): Float32Array {
  return Float32Array.from({ length: dims }, () => roundToFloat16(Math.round(4 * random() - 2) / 8));
}

/** A request for the 5 best, by both parts. */
function randomRequest() {
  return {
    row: randomRow(24, 0.5),
    vector: randomVector(40),
    lambda: 1,
    k: 5,
    plan: { kind: "exact" } as Plan,
  };
}

/** Rows as one segment that an engine is given. */
function segmentOf(rows: Rows, scanner: Entry.Scanner) {
  return {
    rowCount: rows.docs,
    dims: 24,
    hasCodes: false,
    first: 0,
    allowed: undefined,
    lexicalParts: async () => entry.createRowParts(rows),
    semanticParts: async () => entry.createRowParts(rows),
    scanner: async () => scanner,
  };
}

function randomRows(docs: number): Rows {
  const builder = new RowsBuilder(24, 5, 40);
  for (let doc = 0; doc < docs; doc++) builder.add(randomRow(24, 0.4), randomVector(40));
  return builder.finish();
}

test("two and three threads, several memories, many windows, filters", async () => {
  const { Bits, layOut, createMemorySource, Scanner, ScanPool, runEngine, WasmFirstStage } = entry;
  const rows = randomRows(3000);
  const allowed = new Bits(3000);
  for (let doc = 0; doc < 3000; doc++) if (random() < 0.9) allowed.set(doc);
  const excluded = new Set(Array.from({ length: 3000 }, (_, doc) => doc).filter((doc) => !allowed.get(doc)));
  for (const threads of [2, 3]) {
    const pool = new ScanPool(threads);
    const layout = layOut(rows, { windowDocs: 128, quantize: { parts: 4 } });
    const scanner = await Scanner.load(createMemorySource(rows, layout), { threads, arenaBytes: 200_000 });
    expect(scanner.placement.memories.length).toBeGreaterThan(1);
    const segment = { ...segmentOf(rows, scanner), hasCodes: true, allowed };
    const requests = Array.from({ length: 12 }, (_, i) => ({
      ...randomRequest(),
      lambda: [0, 1, 10][i % 3],
      k: [1, 10, 200][i % 3],
    }));
    const expected = requests.map((request) => searchByDefinition(rows, { ...request, excluded }).docs);
    // All searches at once: one that comes while the threads are busy waits.
    const together = await Promise.all(
      requests.map(async (request) => (await runEngine([segment], [request], [new WasmFirstStage(pool)]))[0]),
    );
    expect(together.map(({ ranked }) => ranked)).toEqual(expected);
    const batch = await runEngine([segment], requests, [new WasmFirstStage(pool)]);
    expect(batch.map(({ ranked }) => ranked)).toEqual(expected);
    expect(batch.every(({ stats }) => stats.exact)).toBe(true);
    const [alone] = await runEngine([segment], [requests[1]], [new WasmFirstStage()]);
    expect(alone.ranked).toEqual(expected[1]);
    const field = withBlocks(
      Float64Array.from({ length: 3000 }, (_, doc) => (doc % 5 ? doc % 700 : Number.NaN)),
      128,
    );
    const additions = [
      { kind: "boost" as const, boost: { field: "votes", by: "log", weight: 0.7 } as const, field },
    ];
    const boosted = requests.map((request) => ({ ...request, isBoosted: true }));
    const answers = (pool?: InstanceType<typeof ScanPool>) =>
      runEngine([{ ...segment, additions }], boosted, [new WasmFirstStage(pool)]);
    const onOne = await answers();
    expect((await answers(pool)).map(({ ranked }) => ranked)).toEqual(onOne.map(({ ranked }) => ranked));
    expect(onOne[1].ranked[0].boost).toBeGreaterThan(0);
    await pool.close();
  }
});

test("a question that fails in a thread fails here, and the next one is answered", async () => {
  const { layOut, createMemorySource, Scanner, ScanPool, runEngine, WasmFirstStage } = entry;
  const rows = randomRows(600);
  const pool = new ScanPool(2);
  const scanner = await Scanner.load(createMemorySource(rows, layOut(rows)), { threads: 2 });
  const request = randomRequest();
  await expect(
    pool.scan(
      [{ scanner, first: 0, allowed: undefined }],
      [{ scannedQuery: request.row, scoring: "quantized", wantedCandidates: 5 }],
    ),
  ).rejects.toThrow();
  const segments = [segmentOf(rows, scanner)];
  const [{ ranked: docs }] = await runEngine(segments, [request], [new WasmFirstStage(pool)]);
  expect(docs).toEqual(searchByDefinition(rows, request).docs);
  await pool.close();
});

test("an abort stops threads, and a search that waits for them; the next one is answered", async () => {
  const { layOut, createMemorySource, Scanner, ScanPool, runEngine, Turns, WasmFirstStage } = entry;
  const rows = randomRows(3000);
  const pool = new ScanPool(2);
  const scanner = await Scanner.load(createMemorySource(rows, layOut(rows)), { threads: 2 });
  const request = randomRequest();
  const many = Array.from({ length: 100_000 }, () => ({
    scannedQuery: request.row,
    scoring: "gated" as const,
    wantedCandidates: 5,
  }));
  const scanned = [{ scanner, first: 0, allowed: undefined }];
  const [first, second] = [new AbortController(), new AbortController()];
  let isDone = false;
  const long = pool.scan(scanned, many, new Turns(first.signal)).finally(() => {
    isDone = true;
  });
  const waiting = pool.scan(scanned, many, new Turns(second.signal));
  await waitForTurn(); // the threads have begun
  second.abort(new Error("not mine"));
  await expect(waiting).rejects.toThrow("not mine");
  expect(isDone).toBe(false);
  first.abort(new Error("enough"));
  await expect(long).rejects.toThrow("enough");
  const segments = [segmentOf(rows, scanner)];
  const [{ ranked: docs }] = await runEngine(segments, [request], [new WasmFirstStage(pool)]);
  expect(docs).toEqual(searchByDefinition(rows, request).docs);
  await pool.close();
});

test("an index opened with threads: the same hits, while documents come and segments are merged", async () => {
  const { Sluice } = entry;
  const folder = join(mkdtempSync(join(tmpdir(), "sluice-threads-")), "index");
  const words = ["gate", "water", "lock", "river", "canal", "boat", "level", "flow"];
  const documents = Array.from({ length: 1500 }, (_, n) => ({
    id: String(n),
    text: Array.from({ length: 8 }, () => words[Math.floor(words.length * random() ** 2)]).join(" "),
    vector: randomVector(40),
  }));
  const threaded = await Sluice.open(folder, { encoder: "none", threads: 2, lambda: 2 });
  try {
    for (const start of [0, 500, 1000]) {
      await threaded.add(documents.slice(start, start + 500));
      await threaded.commit();
      await agree();
    }
    await threaded.optimize();
    await agree();
  } finally {
    await threaded.close();
  }

  async function agree(): Promise<void> {
    const single = await Sluice.open(folder, { readOnly: true });
    for (const text of ["gate water", "boat level flow"]) {
      const query = { text, vector: randomVector(40) };
      const hits = async (index: Entry.Sluice) =>
        (await index.search(query, { k: 50, plan: { kind: "exact" } })).hits.map(({ id, score }) => [
          id,
          score,
        ]);
      expect(await hits(threaded)).toEqual(await hits(single));
    }
    await single.close();
  }
});

test("a process that forgets many documents, while a thread compresses them, goes on", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-forget-"));
  const script = `
    const { Sluice } = await import(${JSON.stringify(pathToFileURL(join(outDir, "threads.js")).href)});
    const documents = Array.from({ length: 30_000 }, (_, i) => ({ id: String(i), text: "water gate lock ".repeat(22) + i }));
    for (let round = 0; round < 2; round++) {
      const index = await Sluice.open(${JSON.stringify(join(folder, "index"))}, { encoder: "none" });
      await index.add(documents);
      if (round === 0) await index.rollback();
      await index.close();
    }
    console.log("went on");`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "went on\n", stderr: "" });
  rmSync(folder, { recursive: true });
});

test("an index built with a thread beside it is the one built without", async () => {
  const { Sluice, BuildPool } = entry;
  const side = BuildPool.start();
  expect(side, "this bundle has the thread's file").toBeInstanceOf(BuildPool);
  await side!.close();
  const folder = mkdtempSync(join(tmpdir(), "sluice-beside-"));
  const word = () => Math.floor(4000 * random() ** 3).toString(36);
  const documents = Array.from({ length: 5200 }, (_, n) => ({
    id: String(n),
    text: Array.from({ length: 250 }, word).join(" "),
    vector: randomVector(40),
  }));
  const build = async (path: string, Made: typeof Sluice) => {
    // Two segments, each large enough for a thread. Documents are replaced and deleted while they are compressed.
    const index = await Made.open(path, { lambda: 2, bufferBytes: 14 * 1024 * 1024 });
    await index.add(documents.slice(0, 4200));
    await index.upsert(documents.slice(20, 40).map((document) => ({ ...document, text: "upserted gate" })));
    await index.delete(["4150", "100", "4199"]);
    await index.add(documents.slice(4200));
    await index.commit();
    return index;
  };
  const beside = await build(join(folder, "beside"), Sluice);
  const plain = await build(
    join(folder, "plain"),
    (await import("../src/sluice.ts")).Sluice as typeof Sluice,
  );
  try {
    expect((await Sluice.verify(join(folder, "beside"))).problems).toEqual([]);
    expect(beside.info().segments.map(({ docs }) => docs)).toEqual(
      plain.info().segments.map(({ docs }) => docs),
    );
    expect(beside.info().segments.length).toBe(2);
    await agree();
    for (const index of [beside, plain]) await index.optimize(); // laid out on a thread, too
    expect(beside.info().segments.length).toBe(1);
    expect((await Sluice.verify(join(folder, "beside"))).problems).toEqual([]);
    await agree();
  } finally {
    await beside.close();
    await plain.close();
    rmSync(folder, { recursive: true });
  }

  async function agree(): Promise<void> {
    for (const text of ["gate", "a b c 1k", "2 3 upserted"]) {
      const query = { text, vector: randomVector(40) };
      const [found, expected] = await Promise.all(
        [beside, plain].map(async (index) => (await index.search(query, { k: 60 })).hits),
      );
      expect(found).toEqual(expected);
    }
    for (const id of ["0", "25", "4149", "4198", "5199"]) {
      const { text } = await plain.document(id);
      expect(text).toEqual(expect.stringMatching(/./));
      expect(await beside.document(id)).toEqual(await plain.document(id));
    }
    await expect(beside.document("4150")).rejects.toThrow("no document");
  }
});

test("a thread beside a build that ends says so to whoever waits", async () => {
  const side = entry.BuildPool.start()!;
  const vectors = { docs: 3, semanticDims: 2, semantic: new Uint16Array(6) };
  expect((await side.layOutVectors(vectors)).meta.semantic?.widths).toEqual([16]);
  const broken = side.layOutVectors({ ...vectors, semantic: undefined as never });
  await expect(broken).rejects.toThrow();
  expect(await side.pack([], undefined)).toEqual([]);
  // Long enough for the thread to end in the meantime.
  const many = { docs: 40_000, semanticDims: 128, semantic: new Uint16Array(40_000 * 128).fill(0x3c00) };
  const waiting = side.layOutVectors(many);
  const closing = side.close();
  await expect(waiting).rejects.toThrow("has ended");
  await closing;
});
