// Damaged exports and network failures: each gives one clear error, never a wrong answer.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { madeUpDocuments, VECTOR_DIMS } from "../../test/browser/corpus.ts";
import { folderFetch } from "../../test/browser/folder-fetch.ts";
import { Sluice, SluiceError } from "../index.ts";
import { type ReaderOptions, SluiceReader } from "./reader.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-reader-damage-"));
const sound = join(root, "sound");
const copy = join(root, "copy");
const URL_OF_EXPORT = "https://example.org/";
let ids: readonly string[];

beforeAll(async () => {
  const index = await Sluice.build(madeUpDocuments(300), { encoder: "none", dims: 16 });
  await index.exportWeb(sound);
  ids = await index.listIds();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = (folder: string, options: ReaderOptions = {}) =>
  SluiceReader.open(URL_OF_EXPORT, { fetch: folderFetch(folder), ...options });

/** Reads every file of the export. */
async function useAll(folder: string): Promise<void> {
  const reader = await open(folder);
  await reader.search({ text: "w1 w2", vector: new Array(VECTOR_DIMS).fill(1) }, { filter: { year: 1950 } });
  await reader.documents(ids);
  await reader.close();
}

const SECTION_NAME = '"name":"';

const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error("it did not fail"),
    (error) => error,
  );

test("an intact export does not fail", () => useAll(sound));

describe("every file that is", () => {
  const DAMAGES: Record<string, (bytes: Buffer) => Buffer | undefined> = {
    "cut short": (bytes) => bytes.subarray(0, bytes.length - 1),
    empty: () => Buffer.alloc(0),
    longer: (bytes) => Buffer.concat([bytes, Buffer.from([32])]),
    "different in a bit": (bytes) => {
      // JSON stays JSON: the letter is in a name.
      const name = bytes.indexOf(SECTION_NAME, bytes.length >> 1);
      bytes[name < 0 ? bytes.length >> 1 : name + SECTION_NAME.length] ^= 4;
      return bytes;
    },
    missing: () => undefined,
  };
  for (const [name, damage] of Object.entries(DAMAGES)) {
    test(`${name} is refused, and named`, async () => {
      const files = readdirSync(sound, { recursive: true, encoding: "utf8" }).filter((file) =>
        statSync(join(sound, file)).isFile(),
      );
      expect(files.length).toBeGreaterThan(15);
      for (const file of files) {
        // JSON with trailing white space is still valid.
        if (name === "longer" && file === "manifest.json") continue;
        rmSync(copy, { recursive: true, force: true });
        cpSync(sound, copy, { recursive: true });
        const bytes = damage(readFileSync(join(sound, file)));
        if (bytes) writeFileSync(join(copy, file), bytes);
        else rmSync(join(copy, file));
        const error = await failure(useAll(copy));
        expect(error, file).toBeInstanceOf(SluiceError);
        expect(error.message).toContain(file);
        const { code, hint } = error as SluiceError;
        if (file === "manifest.json" && name !== "different in a bit")
          expect({ code, hint }).toEqual({
            code: "ERR_SLUICE_INVALID",
            hint: "write the index with exportWeb, and give the URL of its folder",
          });
        else if (name === "missing")
          expect({ code, hint }, file).toEqual({
            code: "ERR_SLUICE_INVALID",
            hint: "the export is incomplete or was replaced: upload all of it, or open it again",
          });
        else
          expect({ code, hint }, file).toEqual({
            code: "ERR_SLUICE_DAMAGED",
            hint: "upload the export again; if the uploaded file is intact, a cache holds a damaged copy",
          });
      }
    });
  }
});

describe("the manifest", () => {
  /** Changes the manifest and corrects its checksum, unless the checksum itself is changed. */
  async function changed(change: (manifest: Record<string, unknown>) => void): Promise<SluiceError> {
    const manifest = JSON.parse(readFileSync(join(sound, "manifest.json"), "utf8"));
    manifest.checksum = crc32(JSON.stringify(manifest.index)).toString(16).padStart(8, "0");
    change(manifest);
    const fetch = async () => new Response(JSON.stringify(manifest));
    return (await failure(SluiceReader.open(URL_OF_EXPORT, { fetch }))) as SluiceError;
  }

  test("of another version is refused with both versions", async () => {
    const { problem } = await changed((manifest) => Object.assign(manifest, { version: 7 }));
    expect(problem).toBe("https://example.org/manifest.json: format 7; this build reads format 4");
  });

  test("that was changed by hand is refused", async () => {
    const { message } = await changed(({ index }) => Object.assign(index as object, { lambda: 3 }));
    expect(message).toMatch(/manifest\.json: the file is damaged: it does not match its checksum/);
  });

  test.each<[string, (index: Record<string, unknown>) => void, string]>([
    ["no sections", (index) => delete index.sections, 'it has a wrong "sections", or none'],
    ["a section of eight gigabytes", (index) => grow(index.sections), 'a wrong "sections"'],
    [
      "a section without a type",
      (index) => Object.assign((index.sections as object[])[0], { type: "x" }),
      "wrong",
    ],
    ["no settings", (index) => Object.assign(index, { settings: 7 }), 'a wrong "settings"'],
    ["no segment", (index) => Object.assign(index, { segment: {} }), 'a wrong "segment"'],
    ["no ids", (index) => without(index, "ids"), 'names no section "ids"'],
    ["too many documents", (index) => put(index.segment, { docs: 2 ** 31 }), 'its section "idLengths" has'],
    ["too wide vectors", (index) => put(index.segment, { semanticDims: 256 }), 'a wrong "widths" of its'],
    ["another width of vectors", (index) => put(index, { semanticDims: 256 }), "has vectors with"],
    ["fewer dims", (index) => put(index.settings, { dims: 1 }), "has rows of"],
  ])("with %s is refused", async (_, change, message) => {
    const manifest = JSON.parse(readFileSync(join(sound, "manifest.json"), "utf8"));
    change(manifest.index);
    manifest.checksum = crc32(JSON.stringify(manifest.index)).toString(16).padStart(8, "0");
    const fetch: typeof globalThis.fetch = async (input, init) =>
      String(input).endsWith(".json")
        ? new Response(JSON.stringify(manifest))
        : folderFetch(sound)(input, init);
    const work = SluiceReader.open(URL_OF_EXPORT, { fetch }).then((reader) =>
      reader.search("w1", { lambda: 0 }),
    );
    const error = await failure(work);
    expect(error).toBeInstanceOf(SluiceError);
    expect(error.message).toContain(message);
  });

  const put = (into: unknown, fields: object) => Object.assign(into as object, fields);
  const grow = (sections: unknown) => Object.assign((sections as object[])[0], { bytes: 2 ** 33 });
  const without = (index: Record<string, unknown>, name: string) => {
    index.sections = (index.sections as { name: string }[]).filter((section) => section.name !== name);
  };

  test.each([["<!doctype html><title>Home</title>"], ["null"], ["[]"], ['"text"'], ["{}"], [""]])(
    "is not %s",
    async (body) => {
      const fetch = async () => new Response(body);
      const error = await failure(SluiceReader.open(URL_OF_EXPORT, { fetch }));
      expect((error as SluiceError).problem).toBe(
        "https://example.org/manifest.json: not an export of a Sluice index",
      );
      expect((error as SluiceError).hint).toContain("exportWeb");
    },
  );
});

describe("a network", () => {
  test("that is down, a missing file and a failing server give different errors", async () => {
    const offline = await failure(
      SluiceReader.open(URL_OF_EXPORT, { fetch: () => Promise.reject(new TypeError("Failed to fetch")) }),
    );
    expect(offline).toBeInstanceOf(SluiceError);
    expect((offline as SluiceError).problem).toBe(
      `${URL_OF_EXPORT}manifest.json: cannot be reached: Failed to fetch`,
    );
    const missing = await failure(open(join(root, "nowhere")));
    expect((missing as SluiceError).problem).toBe(`${URL_OF_EXPORT}manifest.json: not found (404)`);
    const broken = async () => new Response("", { status: 503, statusText: "Service Unavailable" });
    const failing = await failure(SluiceReader.open(URL_OF_EXPORT, { fetch: broken }));
    expect((failing as SluiceError).problem).toBe(
      `${URL_OF_EXPORT}manifest.json: the server answered 503 Service Unavailable`,
    );
  });

  test("that breaks off in the middle of a file is refused", async () => {
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const whole = await folderFetch(sound)(input, init);
      if (String(input).endsWith(".json")) return whole;
      const bytes = new Uint8Array(await whole.arrayBuffer());
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(bytes.subarray(0, 10)),
        pull: (controller) => controller.error(new TypeError("terminated")),
      });
      return new Response(body);
    };
    const error = await failure(SluiceReader.open(URL_OF_EXPORT, { fetch }));
    expect((error as SluiceError).problem).toMatch(/\.bin: cannot be reached: terminated$/);
  });

  test("that fails once for a document is tried again", async () => {
    let fails = false;
    const fetch: typeof globalThis.fetch = (input, init) =>
      fails ? Promise.reject(new TypeError("offline")) : folderFetch(sound)(input, init);
    const reader = await SluiceReader.open(URL_OF_EXPORT, { fetch });
    fails = true;
    expect((await failure(reader.document(ids[0]))).message).toContain("offline");
    fails = false;
    expect(await reader.document(ids[0])).toHaveProperty("text");
  });

  test("with a damaged copy in a cache is asked again without caches", async () => {
    const asked: (string | undefined)[] = [];
    const fetch = async (input: unknown, init: { cache?: string } = {}) => {
      const answer = await folderFetch(sound)(input as URL);
      if (!String(input).includes("/terms.")) return answer;
      asked.push(init.cache);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      return new Response(init.cache === "reload" ? bytes : bytes.subarray(1));
    };
    const reader = await SluiceReader.open(URL_OF_EXPORT, { fetch: fetch as typeof globalThis.fetch });
    expect(asked).toEqual([undefined, "reload"]);
    await reader.close();
  });

  test("gets no request twice, and requests for documents only when they are hits", async () => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      asked.push(new URL(String(input)).pathname);
      return folderFetch(sound)(input, init);
    };
    const reader = await SluiceReader.open(URL_OF_EXPORT, { fetch });
    expect(asked.filter((path) => path.startsWith("/documents/"))).toEqual([]);
    expect(asked.filter((path) => path.startsWith("/parts/columns"))).toEqual([]);
    for (let i = 0; i < 3; i++) {
      await reader.search("w1 w2 w3", { lambda: 0, k: 3, filter: { year: { gte: 1900 } } });
    }
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.some((path) => path.startsWith("/documents/"))).toBe(true);
    await reader.close();
  });
});

describe("aborting", () => {
  test("before and while an export is opened", async () => {
    const reason = new Error("no longer wanted");
    expect(await failure(open(sound, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const controller = new AbortController();
    let parts = 0;
    const stalls: typeof globalThis.fetch = (input, init) => {
      if (String(input).endsWith(".json")) return folderFetch(sound)(input, init);
      parts++;
      queueMicrotask(() => controller.abort(reason));
      return new Promise((_, reject) =>
        init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason)),
      );
    };
    const { signal } = controller;
    expect(await failure(SluiceReader.open(URL_OF_EXPORT, { fetch: stalls, signal }))).toBe(reason);
    expect(parts).toBeGreaterThan(0);
  });

  test("a search, and the whole index", async () => {
    const reader = await open(sound);
    const signal = AbortSignal.abort();
    expect((await failure(reader.search("w1", { lambda: 0, signal }))).name).toBe("AbortError");
    await reader.close();
    await reader.close();
    for (const work of [
      () => reader.search("w1"),
      () => reader.document(ids[0]),
      () => reader.explain("w1", ids[0]),
    ]) {
      expect((await failure(work())).message).toBe(`${URL_OF_EXPORT}: the index was closed`);
    }
  });
});

test("invalid options are refused as in Node", async () => {
  const reader = await open(sound);
  const refused = async (work: Promise<unknown>) => (await failure(work)).message;
  expect(await refused(reader.search("w1", { k: -1 }))).toContain("k must be");
  const { hits, notices } = await reader.search("w1");
  expect(notices).toMatchObject([{ code: "words_only" }]);
  expect(hits).toEqual((await reader.search("w1", { lambda: 0 })).hits);
  expect(await refused(reader.explain("w1", "nobody", { lambda: 0 }))).toContain(
    'no document has the id "nobody"',
  );
  expect(await refused(reader.search("w1", { lambda: 0, exclude: "w" }))).toContain("exclude must be a list");
  expect(await refused(open(sound, { kernel: "cuda" as never }))).toContain('there is no kernel "cuda"');
  expect(await refused(SluiceReader.open("not an address"))).toContain("not a URL");
});
