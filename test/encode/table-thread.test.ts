// A table on a thread gives the same documents as one on the main thread, in the same order, and ends with whoever reads them.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bundle } from "../../scripts/bundle-tests.mjs";
import type { Document } from "../../src/documents/document.ts";
import { encodeDocuments } from "../../src/encode/encode-documents.ts";
import type { Encoding } from "../../src/encode/encoder.ts";
import { StaticEncoder } from "../../src/encode/static/static-encoder.ts";
import { packTable, quantizeTable } from "../../src/encode/static/table-file.ts";
import type { TablePool } from "../../src/encode/static/table-pool.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

vi.setConfig({ testTimeout: 300_000 });

const DIMS = 16;
const PIECES = Array.from({ length: 500 }, (_, i) => i.toString(36));
const random = mulberry32(5);
const FILES = {
  description: { kind: "static", dims: DIMS },
  table: packTable(
    quantizeTable(
      Float32Array.from({ length: PIECES.length * DIMS }, () => random() - 0.5),
      DIMS,
    ),
  ),
  pieces: PIECES.join("\n"),
};
/** More than the documents after which the thread starts, and those that are encoded while it starts. */
const MANY = 2048 * 200;

let folder: string;
let outDir: string;
let threaded: typeof encodeDocuments;
let Opened: typeof StaticEncoder;
let Pool: typeof TablePool;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-table-"));
  writeFileSync(join(folder, "sluice.json"), JSON.stringify(FILES.description));
  writeFileSync(join(folder, "vectors.table"), FILES.table);
  writeFileSync(join(folder, "pieces.txt"), FILES.pieces);
  const input = {
    "encode-documents": "src/encode/encode-documents.ts",
    "static-encoder": "src/encode/static/static-encoder.ts",
    "table-pool": "src/encode/static/table-pool.ts",
    "table-thread": "src/encode/static/table-thread.ts",
  };
  outDir = await bundle("table-thread", input, { entryFileNames: "[name].js", chunkFileNames: "[name].js" });
  const load = (name: string) => import(/* @vite-ignore */ pathToFileURL(join(outDir, name)).href);
  ({ encodeDocuments: threaded } = await load("encode-documents.js"));
  ({ StaticEncoder: Opened } = await load("static-encoder.js"));
  ({ TablePool: Pool } = await load("table-pool.js"));
}, 120_000);

afterAll(() => {
  for (const made of [outDir, folder]) rmSync(made, { recursive: true, force: true });
});

function documentOf(n: number): Document {
  const own = mulberry32(n);
  const words = Array.from({ length: Math.floor(9 * own()) }, () => Math.floor(700 * own()).toString(36));
  return { id: String(n), text: words.join(n % 7 ? " " : ", É"), n };
}

/** A document as a text, with the bits of its vector. */
function shown({ vector, ...fields }: Document): string {
  const { buffer, byteOffset, byteLength } = vector as Float32Array;
  return `${JSON.stringify(fields)} ${Buffer.from(buffer, byteOffset, byteLength).toString("hex")}`;
}

/** An encoder whose texts on the main thread are counted. */
function countedEncoder() {
  const encoder = new Opened(folder, FILES);
  const encode = vi.spyOn(encoder, "encode");
  return { encoder, onMain: () => encode.mock.calls.reduce((sum, [texts]) => sum + texts.length, 0) };
}

/**
 * Documents until the thread has encoded some thousand, and then `more`. However slow the thread starts, it has `MANY` documents'
 * time to do so.
 */
async function* source(onMain: () => number, more: number, end?: () => void): AsyncGenerator<Document> {
  for (let n = 0, left = more; left > 0; n++) {
    if (n - onMain() > 4 * 2048) left--;
    if (n === MANY) throw new Error("no thread started");
    if (n % 2048 === 0) await setTimeout(1);
    yield documentOf(n);
  }
  end?.();
}

async function read(documents: AsyncIterable<Document>): Promise<{ list: Document[]; error?: unknown }> {
  const list: Document[] = [];
  try {
    for await (const document of documents) list.push(document);
    return { list };
  } catch (error) {
    return { list, error };
  }
}

test("the same documents and bits as without a thread, with progress up to the last one", async () => {
  const { encoder, onMain } = countedEncoder();
  const known = new Map<string, Encoding>([["3", { vector: new Float32Array(DIMS).fill(2) }]]);
  known.set("9000", { vector: new Float32Array(DIMS).fill(3) });
  const done: number[] = [];
  const { list, error } = await read(
    threaded(source(onMain, 5000), encoder, { known, onProgress: (at) => done.push(at.done) }),
  );
  expect(error).toBeUndefined();
  expect(onMain()).toBeLessThan(list.length);
  const plain = await read(
    encodeDocuments(
      list.map((_, n) => documentOf(n)),
      new StaticEncoder(folder, FILES),
      { known },
    ),
  );
  expect(list.map(shown)).toEqual(plain.list.map(shown));
  expect(done).toEqual([...done].sort((a, b) => a - b));
  expect(done.at(-1)).toBe(list.length);
});

test("an error of the source comes after all documents of the batches before it, as without a thread", async () => {
  const { encoder, onMain } = countedEncoder();
  const fail = () => {
    throw new Error("the source broke");
  };
  const { list, error } = await read(threaded(source(onMain, 3000, fail), encoder));
  expect(error).toEqual(new Error("the source broke"));
  expect(list.length % 2048).toBe(0);
  expect(onMain()).toBeLessThan(list.length);
  for (const [n, { id, vector }] of list.entries()) {
    expect(id).toBe(String(n));
    if (n % 100 === 0) expect(vector).toEqual(encoder.vectorOf(documentOf(n).text as string, "passage"));
  }
});

test("a text that is none is an error in its turn", async () => {
  const { encoder, onMain } = countedEncoder();
  const documents = async function* () {
    yield* source(onMain, 1);
    yield { id: "broken", text: 5 } as unknown as Document;
  };
  const { list, error } = await read(threaded(documents(), encoder));
  expect((error as Error).message).toContain('document "broken"');
  expect(list.length % 2048).toBe(0);
});

test("a signal ends the work with its reason, and a reader that stops ends the source", async () => {
  const { encoder, onMain } = countedEncoder();
  const controller = new AbortController();
  const abort = () => controller.abort(new Error("enough"));
  const { error } = await read(threaded(source(onMain, 3000, abort), encoder, controller));
  expect(error).toEqual(new Error("enough"));
  let hasEnded = false;
  const endless = async function* () {
    try {
      for (let n = 0; ; n++) yield documentOf(n);
    } finally {
      hasEnded = true;
    }
  };
  const again = countedEncoder();
  let read2 = 0;
  for await (const _ of threaded(endless(), again.encoder)) {
    if (++read2 % 2048 === 0) await setTimeout(1);
    if (read2 - again.onMain() > 0) break;
  }
  expect(hasEnded).toBe(true);
});

test("a thread that has another table, or has ended, leaves the texts to the main thread", async () => {
  const other = new Opened(folder, { ...FILES, pieces: `${FILES.pieces.slice(0, -1)}é` });
  for (const pool of [Pool.start(other)!, Pool.start(new Opened(join(folder, "none"), FILES))!]) {
    await pool.ended;
    expect(pool.isReady).toBe(false);
    expect(await pool.encode(["a"])).toBeUndefined();
    await pool.close();
  }
});

test("texts that wait when the thread is closed are left to the main thread", async () => {
  const pool = Pool.start(new Opened(folder, FILES))!;
  while (!pool.isReady) await setTimeout(5);
  expect(await pool.encode(["a b"])).toHaveLength(1);
  // No answer can come between these calls and `close`: messages come in later turns of the event loop.
  const waiting = [pool.encode(["a b"]), pool.encode(["c"])];
  await pool.close();
  expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  expect(await pool.encode(["a"])).toBeUndefined();
  await pool.ended;
  await pool.close();
});

test("no thread keeps a process alive", () => {
  const script = `
    import { encodeDocuments } from ${JSON.stringify(pathToFileURL(join(outDir, "encode-documents.js")).href)};
    import { StaticEncoder } from ${JSON.stringify(pathToFileURL(join(outDir, "static-encoder.js")).href)};
    import { readFileSync } from "node:fs";
    const file = (name) => readFileSync(${JSON.stringify(folder)} + "/" + name);
    const files = { description: JSON.parse(file("sluice.json")), table: file("vectors.table"), pieces: String(file("pieces.txt")) };
    const documents = function* () { for (let n = 0; ; n++) yield { id: String(n), text: "a b" }; };
    const reader = encodeDocuments(documents(), new StaticEncoder(${JSON.stringify(folder)}, files));
    for (let n = 0; n < 100_000; n++) {
      await reader.next();
      if (n % 2048 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    console.log("read");`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
    timeout: 120_000,
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "read\n", stderr: "" });
});
