// Indexes with a semantic part: vectors in the request, or from an encoder.

import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeModel } from "../../test/helpers/onnx.ts";
import { Encoder } from "../encode/index.ts";
import { Sluice } from "../index.ts";
import { createServer, type SluiceServer } from "./app.ts";

const place = mkdtempSync(join(tmpdir(), "sluice-semantic-"));
const model = join(place, "tiny-model");
const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "water", "gate", "fire"];
const STATES = [...Array.from({ length: 4 }, () => [0, 0]), [1, 0], [0, 1], [-1, 0]];
const DOCUMENTS = PIECES.slice(4).map((word) => ({ id: word, text: word }));

const indexes: Record<string, Sluice> = {};
let server: SluiceServer;
beforeAll(async () => {
  const description = {
    kind: "dense",
    pooling: "mean",
    normalize: false,
    maxLength: { query: 8, passage: 8 },
  };
  writeModel(model, { states: STATES }, PIECES, description);
  const encoder = await Encoder.open(model);
  const encoded = await Sluice.open(join(place, "encoded"), { encoder });
  await encoded.add(DOCUMENTS);
  await encoded.commit();
  await encoded.close();
  indexes.encoded = await Sluice.open(join(place, "encoded"));
  indexes.given = await Sluice.build(
    DOCUMENTS.map((document, i) => ({ ...document, vector: STATES[4 + i] })),
  );
  server = createServer(indexes, { page: false, refreshMs: 0 });
});
afterAll(async () => {
  await server.close();
  for (const index of Object.values(indexes)) await index.close();
  rmSync(place, { recursive: true, force: true });
});

async function ask(path: string, body?: object) {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await server.fetch(new Request(`http://any.example/v1/indexes/${path}`, init));
  // biome-ignore lint/suspicious/noExplicitAny: what a server says is looked into field by field
  return { status: response.status, body: (await response.json()) as any };
}

test("a vector that comes with the query, and λ", async () => {
  const query = { text: "gate", vector: [1, 0.25] };
  const { body } = await ask("given/search", { query, lambda: 2 });
  expect(body.hits.map(({ id, semantic }: { id: string; semantic: number }) => [id, semantic])).toEqual([
    ["water", 2],
    ["gate", 0.5],
    ["fire", -2],
  ]);
  for (const { score, lexical, semantic } of body.hits) expect(score).toBe(lexical + semantic);
  const plan = { kind: "pruned", theta: 0.3 };
  const planned = await ask("given/explain-query", { query, lambda: 1, plan });
  expect(planned.body).toMatchObject({ semanticDims: { selected: 1, of: 2 }, lambda: 1 });
});

const WORDS_ONLY = [
  { code: "words_only", message: expect.stringMatching(/words only.*give the query a vector/) },
];

test("a text without a vector is answered by words, and the answer says so", async () => {
  const words = await ask("given/search", { query: "gate", lambda: 0 });
  expect(words.body.notices).toBeUndefined();
  const asked: [string, object?][] = [
    ["given/search?query=gate"],
    ["given/search?query=gate&lambda=2"],
    ["given/search", { query: "gate" }],
    ["given/search", { query: { weights: { gate: 1 } } }],
  ];
  for (const [path, body] of asked) {
    const reply = await ask(path, body);
    expect([path, reply.status, reply.body.notices]).toEqual([path, 200, WORDS_ONLY]);
    expect(reply.body.hits).toEqual(words.body.hits);
  }
  expect(words.body.hits.map(({ id }: { id: string }) => id)).toEqual(["gate"]);

  const why = await ask("given/explain", { query: "gate", id: "gate" });
  expect(why.body).toMatchObject({ lambda: 0, semantic: 0, notices: WORDS_ONLY });
  const planned = await ask("given/explain-query", { query: "gate" });
  expect(planned.body).toMatchObject({ lambda: 0, semanticDims: { of: 0 }, notices: WORDS_ONLY });
});

test("of many queries, each query is answered by what it contains", async () => {
  const vector = [1, 0.25];
  const queries = ["gate", { vector }, "fire", { text: "gate", vector }];
  const { status, body } = await ask("given/search-all", { queries });
  expect(status).toBe(200);
  expect(body.answers.map(({ notices }: { notices?: object }) => notices)).toEqual([
    WORDS_ONLY,
    undefined,
    WORDS_ONLY,
    undefined,
  ]);
  for (const [i, query] of queries.entries()) {
    expect(body.answers[i].hits).toEqual((await ask("given/search", { query })).body.hits);
  }
});

test("a vector of another width is refused", async () => {
  const short = await ask("given/search", { query: { text: "gate", vector: [1] } });
  expect([short.status, short.body.error.message]).toEqual([400, expect.stringContaining("1 dims")]);
});

test("an index with an encoder encodes queries itself, and names the encoder without its path", async () => {
  const info = await ask("encoded");
  expect(info.body.encoder).toMatchObject({ name: "tiny-model", kind: "dense" });
  expect(JSON.stringify(info.body)).not.toContain(place);

  renameSync(model, `${model}-elsewhere`); // it is opened with the first query
  const failed = await ask("encoded/search", { query: "water" });
  expect([failed.status, failed.body.error.code]).toEqual([503, "unavailable"]);
  expect(JSON.stringify(failed.body)).not.toContain(place);
  renameSync(`${model}-elsewhere`, model);

  const found = await ask("encoded/search", { query: "water" });
  expect(found.body.hits[0]).toMatchObject({ id: "water" });
  expect(found.body.hits[0].semantic).toBeGreaterThan(0);
  expect(found.body.notices).toBeUndefined();
});
