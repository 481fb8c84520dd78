// Encodings that survive an interruption.

import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SPECIAL_PIECES, writeModel } from "../../test/helpers/onnx.ts";
import type { Document } from "../documents/document.ts";
import type { WatchedEncodeOptions } from "./contract/encoding.ts";
import { Encoder, type Encoding } from "./encoder.ts";
import { LoggedEncoder } from "./logged-encoder.ts";

const WORDS = ["water", "gate", "fire", "stone"];
const PIECES = [...SPECIAL_PIECES, ...WORDS];
const DOCUMENTS: Document[] = WORDS.map((word, i) => ({ id: `d${i}`, text: `${word} ${"gate ".repeat(i)}` }));

const root = mkdtempSync(join(tmpdir(), "sluice-encoding-log-"));
let encoder: Encoder;
let wanted: Encoding[];
beforeAll(async () => {
  const states = PIECES.map((_, id) => [id, 1, -id]);
  writeModel(join(root, "model"), { states }, PIECES, {
    kind: "dense",
    pooling: "mean",
    normalize: false,
    maxLength: { query: 8, passage: 8 },
  });
  encoder = await Encoder.open(join(root, "model"));
  wanted = await encoder.encode(
    DOCUMENTS.map(({ text }) => text!),
    "passage",
  );
});
afterAll(async () => {
  await encoder.close();
  rmSync(root, { recursive: true });
});

const texts = (documents: readonly Document[]) => documents.map(({ text }) => text!);

/** The encodings of some documents, by an encoder with a log, and what it said when it opened the log. */
async function encode(path: string, documents = DOCUMENTS, by = encoder) {
  const opened: [size: number, wasOther: boolean][] = [];
  const logged = new LoggedEncoder(by, path, (...found) => opened.push(found));
  const encodings = await logged.encode(texts(documents), "passage");
  return { logged, encodings, opened };
}

test("what was encoded before an interruption is not encoded again", async () => {
  const path = join(root, "new", "index.encodings");
  const first = await encode(path, DOCUMENTS.slice(0, 2));
  await first.logged.close();
  const asked = vi.spyOn(encoder, "encode");
  const [told, progress]: [Map<number, Encoding>, number[]] = [new Map(), []];
  const { logged, encodings, opened } = await encode(path);
  expect(asked.mock.calls.map(([some]) => some)).toEqual([texts(DOCUMENTS.slice(2))]);
  expect([first.opened, opened]).toEqual([[[0, false]], [[2, false]]]);
  expect(encodings).toEqual(wanted);
  await logged.encode(texts(DOCUMENTS), "passage", {
    onEncoded: (at, encoding) => told.set(at, encoding),
    onProgress: ({ done }) => progress.push(done),
  });
  expect(DOCUMENTS.map((_, i) => told.get(i))).toEqual(wanted);
  expect(progress.at(-1)).toBe(DOCUMENTS.length);
  asked.mockRestore();
  await logged.removeLog();
  expect(existsSync(path)).toBe(false);
});

test("a record that was cut off is ignored, and so is the log of another encoder", async () => {
  const path = join(root, "cut.encodings");
  await (await encode(path)).logged.close();
  truncateSync(path, readFileSync(path).length - 3);
  const second = await encode(path);
  await second.logged.close();
  expect(second.opened).toEqual([[DOCUMENTS.length - 1, false]]);
  expect(second.encodings).toEqual(wanted);
  const other = { fingerprint: "other", encode: encoder.encode.bind(encoder) } as Encoder;
  const third = await encode(path, DOCUMENTS.slice(0, 1), other);
  expect(third.opened).toEqual([[0, true]]);
  await third.logged.close();
});

test("records are read in parts, wherever a part ends", async () => {
  const path = join(root, "long.encodings");
  const dims = 3000;
  const big = {
    fingerprint: "big",
    encode: async (some: readonly string[], _: string, { onEncoded }: WatchedEncodeOptions = {}) => {
      const made = some.map((text) => ({ vector: new Float32Array(dims).fill(Number(text)) }));
      for (const [i, encoding] of made.entries()) onEncoded?.(i, encoding);
      return made;
    },
  } as unknown as Encoder;
  const many = Array.from({ length: 900 }, (_, i) => ({ id: `${i}`, text: `${i}` }));
  await (await encode(path, many, big)).logged.close();
  expect(readFileSync(path).length).toBeGreaterThan(2 * 2 ** 22);
  const again = await encode(path, many, { ...big, encode: async () => [] } as Encoder);
  expect(again.opened).toEqual([[many.length, false]]);
  expect(again.encodings.map(({ vector }) => [vector!.length, vector![0], vector![dims - 1]])).toEqual(
    many.map((_, i) => [dims, i, i]),
  );
  await again.logged.removeLog();
});

test("where nothing was encoded no file is left; garbage is no log", async () => {
  const path = join(root, "empty.encodings");
  await (await encode(path, [])).logged.close();
  expect(existsSync(path)).toBe(false);
  const failing = { fingerprint: "failing", encode: () => Promise.reject(new Error("no model")) };
  const logged = new LoggedEncoder(failing as unknown as Encoder, path);
  await expect(logged.encode(["water"], "passage")).rejects.toThrow("no model");
  await logged.close();
  expect(existsSync(path)).toBe(false);
  appendFileSync(path, "garbage\n");
  const { logged: last, encodings } = await encode(path);
  expect(encodings).toEqual(wanted);
  await last.removeLog();
});

test("queries are not kept, and everything else is the encoder's", async () => {
  const path = join(root, "queries.encodings");
  const logged = new LoggedEncoder(encoder, path);
  expect(await logged.encode(["water"], "query")).toEqual(await encoder.encode(["water"], "query"));
  expect(existsSync(path)).toBe(false);
  for (const name of ["description", "fingerprint", "path", "space", "vocabulary", "gives"] as const)
    expect(logged[name]).toEqual(encoder[name]);
  expect(logged.tokenIds("water gate", "query")).toEqual(encoder.tokenIds("water gate", "query"));
  expect(logged.ownTerms("water", "query")).toEqual(encoder.ownTerms("water", "query"));
  expect(logged.queries).toBe(encoder.queries);
});
