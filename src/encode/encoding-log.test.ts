// Encodings that survive an interruption.

import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { SPECIAL_PIECES, writeModel } from "../../test/helpers/onnx.ts";
import type { Document } from "../documents/document.ts";
import { Encoder, type Encoding } from "./encoder.ts";
import { EncodingLog } from "./encoding-log.ts";

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

async function all(log: EncodingLog, documents: readonly Document[], onFound?: (count: number) => void) {
  const encodings = new Map<string, Encoding>();
  const passed: Document[] = [];
  for await (const document of log.encodeFirst(documents, encodings, onFound ? { onFound } : {}))
    passed.push(document);
  return { passed, encodings };
}

test("what was encoded before an interruption is not encoded again", async () => {
  const path = join(root, "new", "index.encodings");
  const first = new EncodingLog(path, encoder);
  await all(first, DOCUMENTS.slice(0, 2));
  await first.close();
  const encode = vi.spyOn(encoder, "encode");
  const found: number[] = [];
  const second = new EncodingLog(path, encoder);
  const { passed, encodings } = await all(second, DOCUMENTS, (count) => found.push(count));
  expect(encode.mock.calls.map(([texts]) => texts)).toEqual([DOCUMENTS.slice(2).map(({ text }) => text)]);
  encode.mockRestore();
  expect(found).toEqual([2]);
  expect(passed).toEqual(DOCUMENTS);
  expect(DOCUMENTS.map(({ id }) => encodings.get(id))).toEqual(wanted);
  await second.finish();
  expect(existsSync(path)).toBe(false);
});

test("a record that was cut off is ignored, and so is the log of another encoder", async () => {
  const path = join(root, "cut.encodings");
  const first = new EncodingLog(path, encoder);
  await all(first, DOCUMENTS);
  await first.close();
  truncateSync(path, readFileSync(path).length - 3);
  const found: number[] = [];
  const second = new EncodingLog(path, encoder);
  const { encodings } = await all(second, DOCUMENTS, (count) => found.push(count));
  await second.close();
  expect(found).toEqual([DOCUMENTS.length - 1]);
  expect(DOCUMENTS.map(({ id }) => encodings.get(id))).toEqual(wanted);
  const other = new EncodingLog(path, {
    fingerprint: "other",
    encode: encoder.encode.bind(encoder),
  } as Encoder);
  await all(other, DOCUMENTS.slice(0, 1), () => expect.fail("an encoding of another encoder was used"));
  await other.close();
});

test("where nothing was encoded no file is left; garbage is no log", async () => {
  const path = join(root, "empty.encodings");
  const log = new EncodingLog(path, encoder);
  await all(log, []);
  await log.close();
  expect(existsSync(path)).toBe(false);
  appendFileSync(path, "garbage\n");
  const { encodings } = await all(new EncodingLog(path, encoder), DOCUMENTS);
  expect(encodings.size).toBe(DOCUMENTS.length);
});
