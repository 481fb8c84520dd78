// Files that are uploaded: every format, what is wrong with them, their limits, and the progress that is reported.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parquetWriteFile } from "hyparquet-writer";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { started, type TestServer, THINGS } from "../../../test/helpers/server.ts";

const FILE = { "content-type": "application/octet-stream" };
const WRITE = "write-key-0123456789abcdef";
const READ = "read-key-0123456789abcdef";
const KEY = { authorization: `Bearer ${WRITE}` };

let server: TestServer;
const folder = mkdtempSync(join(tmpdir(), "sluice-uploaded-"));
const uploadFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("sluice-upload-"));
/** What a server that was killed before these tests left. */
const left = uploadFolders();
beforeAll(async () => {
  server = await started({
    keys: { write: [WRITE], read: [READ] },
    limits: { streamBytes: 300_000, bodyBytes: 60_000, pauseMs: 2000 },
  });
});
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true });
});
/** No file stays behind, whatever was tried. */
afterEach(() => {
  expect(uploadFolders().filter((name) => !left.includes(name))).toEqual([]);
});

const upload = (query: string, body: string | Uint8Array, headers: Record<string, string> = FILE) =>
  server.raw("POST", `${THINGS}/upload?${query}`, body, { ...KEY, ...headers });
const idsOf = async (filter: object) => {
  const { hits } = await server.index.search("okapi", { k: 100, filter: filter as never });
  return hits.map(({ id }) => id).sort();
};

function parquet(text = "two okapi"): Uint8Array {
  const filename = join(folder, "a.parquet");
  const columnData = [
    { name: "id", data: ["p1", "p2"], type: "STRING" },
    { name: "text", data: ["an okapi", text], type: "STRING" },
    { name: "from", data: ["parquet", "parquet"], type: "STRING" },
  ];
  parquetWriteFile({ filename, columnData } as never);
  return readFileSync(filename);
}

test.each([
  [
    "jsonl",
    "file=a.jsonl",
    '{"id":"l1","text":"an okapi","from":"jsonl"}\n{"id":"l2","text":"okapi","from":"jsonl"}',
  ],
  [
    "json",
    "file=a.json",
    '[{"id":"j1","text":"an okapi","from":"json"},{"id":"j2","text":"okapi","from":"json"}]',
  ],
  [
    "held",
    "file=a.json",
    '{"documents":[{"id":"h1","text":"an okapi","from":"held"},{"id":"h2","text":"okapi","from":"held"}]}',
  ],
  ["csv", "file=a.csv", "id,text,from\nc1,an okapi,csv\nc2,okapi,csv\n"],
  ["delimiter", "file=a.csv&delimiter=%3B", "id;text;from\ns1;an okapi;delimiter\ns2;okapi;delimiter\n"],
  [
    "names",
    "file=a.csv&id=key&text=body&title=name",
    "key,name,body,from\nn1,One,an okapi,names\nn2,Two,okapi,names\n",
  ],
  ["gzip", "file=a.csv.gz", gzipSync("id,text,from\ng1,an okapi,gzip\ng2,okapi,gzip\n")],
  ["format", "file=table&format=csv", "id,text,from\nf1,an okapi,format\nf2,okapi,format\n"],
  ["parquet", "file=a.parquet", parquet()],
])("%s", async (from, query, body) => {
  const { status, body: answer } = await upload(query, body);
  expect([status, answer]).toMatchObject([200, { added: 2, committed: true }]);
  expect(await idsOf({ from })).toHaveLength(2);
});

test("the type of the body says the format if the name does not", async () => {
  const csv = await upload("", "id,text,from\nt1,an okapi,type\n", {
    "content-type": "text/csv; charset=utf-8",
  });
  expect(csv.body).toMatchObject({ added: 1 });
  const lines = await upload("", '{"id":"t2","text":"okapi","from":"type"}', {
    "content-type": "application/x-ndjson",
  });
  expect(lines.body).toMatchObject({ added: 1 });
  expect(await idsOf({ from: "type" })).toEqual(["t1", "t2"]);
});

test("Markdown becomes passages, and a shorter version leaves none of the older behind", async () => {
  const long =
    "---\nfrom: markdown\n---\n# Okapi\n\nAn okapi.\n\n## Food\n\nAn okapi eats leaves.\n\n## Home\n\nThe okapi lives in forests.\n";
  expect((await upload("file=okapi.md", long)).body).toMatchObject({ added: 3 });
  expect(await idsOf({ from: "markdown" })).toEqual(["okapi.md#1", "okapi.md#2", "okapi.md#3"]);
  const short = "---\nfrom: markdown\n---\n# Okapi\n\nAn okapi, again.\n";
  expect((await upload("file=okapi.md&upsert=true", short)).body).toMatchObject({ added: 1 });
  expect(await idsOf({ from: "markdown" })).toEqual(["okapi.md#1"]);
  const words = `file=okapi.md&upsert=true&passages=${encodeURIComponent('{"words":2}')}`;
  expect((await upload(words, short)).body).toMatchObject({ added: 2 });
  expect(await idsOf({ from: "markdown" })).toEqual(["okapi.md#1", "okapi.md#2"]);
});

test("a record that was cut, and one that is cut now, replace their other version", async () => {
  const line = JSON.stringify({ id: "long", from: "cut", text: "# A\n\nAn okapi.\n\n# B\n\nThe okapi." });
  expect((await upload("file=a.jsonl&passages=true", line)).body).toMatchObject({ added: 2 });
  expect((await upload("file=a.jsonl&upsert=true", line)).body).toMatchObject({ added: 1, replaced: 2 });
  expect(await idsOf({ from: "cut" })).toEqual(["long"]);
  expect((await upload("file=a.jsonl&upsert=true&passages=true", line)).body).toMatchObject({
    ...{ added: 2, replaced: 1 },
  });
  expect(await idsOf({ from: "cut" })).toEqual(["long#1", "long#2"]);
});

test("a file that was emptied loses its passages, and one that was never there is refused", async () => {
  const text = "---\nfrom: emptied\n---\nAn okapi.\n\n# Food\n\nThe okapi eats.\n";
  expect((await upload("file=soon-empty.md", text)).body).toMatchObject({ added: 2 });
  const refused = await upload("file=soon-empty.md", " \n");
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    "the file has no documents; nothing was deleted",
  ]);
  expect(refused.body.error.hint).toContain("upsert=true");
  expect(await idsOf({ from: "emptied" })).toHaveLength(2);
  expect((await upload("file=soon-empty.md&upsert=true", "\n \n")).body).toMatchObject({
    ...{ added: 0, deleted: 2, committed: true },
  });
  expect(await idsOf({ from: "emptied" })).toEqual([]);
  const again = await upload("file=soon-empty.md&upsert=true", "");
  expect([again.status, again.body.error.message]).toEqual([
    400,
    "the file has no documents; nothing was deleted",
  ]);
});

test("an id that exists is refused by default, and nothing of the file is added", async () => {
  const before = server.index.docs;
  const file = '{"id":"new","text":"x"}\n{"id":"1","text":"x"}\n';
  const { status, body } = await upload("file=a.jsonl", file);
  expect([status, body.error.code]).toEqual([409, "duplicate_id"]);
  expect(body.error.hint).toContain("upload with upsert=true");
  expect(server.index.docs).toBe(before);
  expect(await server.index.has("new")).toBe(false);
});

test("several files make one transaction", async () => {
  const first = await upload("file=a.jsonl&commit=false", '{"id":"tx1","text":"okapi"}');
  expect(first.body).toMatchObject({ committed: false });
  const { transaction } = first.body;
  const second = await upload(`file=b.jsonl&transaction=${transaction}`, '{"id":"tx2","text":"okapi"}');
  expect(second.body).toMatchObject({ committed: true });
  expect(await server.index.has("tx1")).toBe(true);
});

test("progress comes as events, with an estimate of how many documents there are", async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `{"id":"e${i}","text":"an okapi ${i}"}\n`).join("");
  const response = await upload("file=a.jsonl", lines, { ...FILE, accept: "text/event-stream" });
  const events = [...String(response.body).matchAll(/event: (\w+)\ndata: (.*)\n\n/g)].map(
    ([, event, data]) => [event, JSON.parse(data)] as const,
  );
  expect(events.at(-1)).toMatchObject(["done", { added: 3000, committed: true }]);
  const reading = events.filter(([event, { task }]) => event === "progress" && task === "reading");
  expect(reading.length).toBeGreaterThan(0);
  for (const [, { done, total }] of reading) expect(total).toBeGreaterThanOrEqual(done);
  expect(reading.at(-1)![1].total).toBeGreaterThan(2500);
});

test.each([
  ["a file that is not UTF-8", "file=a.jsonl", Uint8Array.of(0xff, 0xfe, 0x00), 400, "invalid"],
  ["a line that is not JSON", "file=a.jsonl", "{]\n", 400, "invalid"],
  ["a document without an id", "file=a.jsonl", '{"text":"x"}', 400, "invalid"],
  ["no documents", "file=a.jsonl", "\n", 400, "invalid"],
  ["an unknown ending", "file=a.xyz", "x", 400, "invalid"],
  ["no name and no format", "", "x", 400, "invalid"],
  ["Parquet that is none", "file=a.parquet", "PAR1 nothing of the kind PAR1", 400, "invalid"],
  [
    "gzip that is damaged",
    "file=a.jsonl.gz",
    gzipSync("x".repeat(9999)).subarray(0, 20),
    400,
    "damaged_gzip",
  ],
  ["gzip in gzip", "file=a.jsonl.gz", gzipSync(gzipSync("x")), 400, "damaged_gzip"],
  ["a gzip bomb", "file=a.jsonl.gz", gzipSync(Buffer.alloc(5_000_000, 32)), 413, "too_large"],
  ["a gzip bomb of zeros", "file=a.jsonl.gz", gzipSync(Buffer.alloc(250_000)), 400, "invalid"],
  ["a line that is too long", "file=a.jsonl", `{"id":"x","text":"${"a ".repeat(99_999)}"}`, 413, "too_large"],
  [
    "a JSON object that is too long",
    "file=a.json",
    `[{"id":"x","text":"${"a ".repeat(99_999)}"}]`,
    413,
    "too_large",
  ],
  ["a CSV field that is too long", "file=a.csv", `id,text\nx,"${"a ".repeat(99_999)}"`, 413, "too_large"],
  [
    "a row of Parquet that is too long",
    "file=a.parquet&upsert=true",
    parquet("a ".repeat(99_999)),
    413,
    "too_large",
  ],
  ["spaces without a document", "file=a.jsonl", " ".repeat(200_000), 413, "too_large"],
  ["a file that is too large", "file=a.jsonl", Buffer.alloc(300_001, 32), 413, "too_large"],
  ["a prototype", "file=a.jsonl", '{"id":"x","text":"x","__proto__":{"a":1}}', 400, "invalid"],
  [
    "deep nesting",
    "file=a.jsonl",
    `{"id":"x","text":"x","a":${"[".repeat(200)}${"]".repeat(200)}}`,
    400,
    "invalid",
  ],
  ["a path", "file=..%2Fa.jsonl", "x", 400, "invalid"],
  ["a hidden name", "file=.a.jsonl", "x", 400, "invalid"],
  ["a Windows path", "file=c:%5Ca.jsonl", "x", 400, "invalid"],
  ["a zero byte", "file=a%00.jsonl", "x", 400, "invalid"],
  ["an unknown parameter", "file=a.jsonl&path=x", "x", 400, "invalid"],
] as const)("%s is refused, and changes nothing", async (_, query, body, status, code) => {
  const before = server.index.info().generation;
  const reply = await upload(query, body);
  expect([reply.status, reply.body.error.code, reply.body.error.message]).toEqual([
    status,
    code,
    expect.any(String),
  ]);
  expect(JSON.stringify(reply.body)).not.toMatch(/sluice-upload-|\/tmp/);
  expect(server.index.info().generation).toBe(before);
});

test("a document that is too large is named, with the limit", async () => {
  const lines = `{"id":"x","text":"x"}\n{"id":"y","text":"${"a ".repeat(99_999)}"}\n`;
  expect((await upload("file=a.jsonl", lines)).body.error).toMatchObject({
    ...{ code: "too_large", message: "document 2 of a.jsonl is larger than 60000 bytes" },
    hint: "cut it into several documents; Markdown and text files are cut by the server",
  });
  const many = `{"id":"many","text":"okapi"}\n`.repeat(9000);
  expect((await upload("file=a.jsonl&upsert=true", many)).body).toMatchObject({ added: 9000 });
});

test("a type that a form can send is refused from a browser, and so is a read key", async () => {
  const type = { "content-type": "text/plain" };
  for (const [name, value] of [
    ["origin", server.url],
    ["sec-fetch-site", "same-origin"],
  ]) {
    const plain = await upload("file=a.txt", "x", { ...type, [name]: value });
    expect([plain.status, plain.body.error.code]).toEqual([415, "unsupported_type"]);
  }
  expect((await upload("file=plain.txt", "A plain okapi.", type)).body.added).toBe(1);
  await server.send("DELETE", `${THINGS}/documents`, { ids: ["plain.txt"], withPassages: true }, KEY);
  const reader = await upload("file=a.txt", "x", { ...FILE, authorization: `Bearer ${READ}` });
  expect([reader.status, reader.body.error.code]).toEqual([403, "read_key"]);
});

test("an upload that the client aborts changes nothing and leaves no file", async () => {
  const giveUp = new AbortController();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":"gone","text":"x"}\n')),
  });
  const sent = fetch(`${server.url}${THINGS}/upload?file=a.jsonl`, {
    ...{ method: "POST", headers: { ...KEY, ...FILE }, body, duplex: "half", signal: giveUp.signal },
  } as RequestInit);
  const metrics = async () => (await server.send("GET", "/metrics", undefined, KEY)).body;
  await expect.poll(metrics).toMatch(/^sluice_http_in_flight 1$/m);
  giveUp.abort();
  await expect(sent).rejects.toThrow();
  await expect.poll(metrics).toMatch(/^sluice_http_in_flight 0$/m);
  expect(await server.index.has("gone")).toBe(false);
});
