// Indexes that are created, changed and dropped over HTTP, in the server's folder: what is allowed, what happens at the same time,
// and what a crash leaves.

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DOCUMENTS, keepLog, LINES, started, startedWithFolder } from "../../../test/helpers/server.ts";
import { Sluice } from "../../index.ts";
import type { ErrorAnswer } from "../../schemas/index.ts";
import { createServer } from "../app.ts";
import { serve } from "../listen.ts";
import { ServedFolder } from "./served-folder.ts";

const WORDS = { encoder: "none" };
const NOTES = "/v1/indexes/notes";

let folder: string;
let server: Awaited<ReturnType<typeof startedWithFolder>>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-folder-"));
  server = await startedWithFolder(folder);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const restart = async (options = {}) => {
  await server.close();
  server = await startedWithFolder(folder, options);
};
const names = async () =>
  (await server.send("GET", "/v1/indexes")).body.indexes.map(({ name }: { name: string }) => name);
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  [status, body.error?.code] as const;

test("an index is created, filled, searched, found again after a restart, and dropped", async () => {
  expect((await server.send("GET", "/v1/indexes")).body).toEqual({
    indexes: [],
    unavailable: [],
    canCreate: true,
    access: "admin",
  });
  expect((await server.send("GET", "/ready")).status).toBe(200);
  // No body takes all defaults; another body than JSON is refused.
  const plain = { "content-type": "text/plain" };
  expect((await server.raw("PUT", "/v1/indexes/plain", "{}", plain)).status).toBe(415);
  expect((await server.send("PUT", "/v1/indexes/plain")).status).toBe(200);
  expect((await server.send("DELETE", "/v1/indexes/plain")).status).toBe(200);
  const settings = { encoder: "none", analyzer: "german", bm25: { k1: 1.2 }, lambda: 0.5 };
  const made = await server.send("PUT", NOTES, settings);
  expect([made.status, made.body]).toMatchObject([
    200,
    { name: "notes", docs: 0, writable: true, analyzer: "german", bm25: { k1: 1.2, b: 0.4 }, lambda: 0.5 },
  ]);
  await server.send("POST", `${NOTES}/documents`, { documents: DOCUMENTS });
  expect((await server.send("GET", `${NOTES}/search?query=gate`)).body.hits).toHaveLength(1);
  await restart();
  expect(await names()).toEqual(["notes"]);
  expect((await server.send("GET", `${NOTES}/search?query=gate`)).body.hits).toHaveLength(1);
  const dropped = await server.send("DELETE", NOTES);
  expect([dropped.status, dropped.body]).toEqual([200, { name: "notes", dropped: true }]);
  expect(codeOf(await server.send("GET", `${NOTES}/search?query=gate`))).toEqual([404, "no_index"]);
  expect(codeOf(await server.send("DELETE", NOTES))).toEqual([404, "no_index"]);
  expect(readdirSync(folder)).toEqual([]);
  expect((await server.send("PUT", NOTES, WORDS)).body.docs).toBe(0);
});

test("without settings an index has the defaults of the library", async () => {
  const { body } = await server.send("PUT", NOTES, {});
  expect(body).toMatchObject({ analyzer: "universal", encoder: { name: "static" }, lexical: "bm25" });
  expect(body.slicingSettings.strategy).toBe("full");
});

test("λ is changed for good", async () => {
  await server.send("PUT", NOTES, WORDS);
  expect((await server.send("PATCH", NOTES, { lambda: 0.25 })).body.lambda).toBe(0.25);
  await restart();
  expect((await server.send("GET", NOTES)).body.lambda).toBe(0.25);
  for (const wrong of [{}, { lambda: -1 }, { analyzer: "english" }, { lambda: "1" }])
    expect(codeOf(await server.send("PATCH", NOTES, wrong))).toEqual([400, "invalid"]);
});

test("names and settings that could reach other files are refused", async () => {
  for (const name of ["..", ".hidden", "a.b", "a%2Fb", "..%2Fup", "-a", "x".repeat(65), "a%00", "%C3%A9"]) {
    const { status } = await server.send("PUT", `/v1/indexes/${name}`, WORDS);
    expect([name, [400, 404, 405].includes(status)]).toEqual([name, true]);
  }
  const settings = [
    { encoder: "/etc" },
    { encoder: "../model" },
    { encoder: "owner/model" },
    { analyzer: "wordpiece:/etc/passwd" },
    { overwrite: true },
    { slicingOf: {} },
    { analyzer: "whitespace", stopWords: ["a"] },
  ];
  for (const wrong of settings) {
    const { status, body } = await server.send("PUT", NOTES, wrong);
    expect([wrong, status]).toEqual([wrong, 400]);
    expect(JSON.stringify(body)).not.toContain(folder);
  }
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(join(folder, "..", "up"))).toBe(false);
});

test("an index created with positions and codes answers phrases and quantized searches", async () => {
  const settings = { ...WORDS, positions: true, dims: 64, quantize: { parts: 8, bits: 4 } };
  expect((await server.send("PUT", NOTES, settings)).status).toBe(200);
  const documents = [
    { id: "near", text: "the lock gate of a canal" },
    { id: "apart", text: "a gate, and far from it a lock" },
  ];
  await server.send("PUT", `${NOTES}/documents`, { documents });
  const ask = async (query: object, options: object = {}) => {
    const { body } = await server.send("POST", `${NOTES}/search`, { query, ...options });
    return body.hits.map(({ id }: { id: string }) => id);
  };
  expect(await ask({ text: "lock", must: [{ phrase: "lock gate" }] })).toEqual(["near"]);
  expect((await ask({ text: "lock" }, { plan: { kind: "quantized" } })).sort()).toEqual(["apart", "near"]);
  expect((await server.send("PUT", "/v1/indexes/odd", { quantize: { parts: 7 } })).status).toBe(400);
});

test("of two creates at once one succeeds, and the index is whole", async () => {
  const replies = await Promise.all(Array.from({ length: 6 }, () => server.send("PUT", NOTES, WORDS)));
  expect(replies.map(codeOf).sort()).toEqual([
    [200, undefined],
    ...Array.from({ length: 5 }, () => [409, "index_exists"]),
  ]);
  expect(codeOf(await server.send("PUT", NOTES, WORDS))).toEqual([409, "index_exists"]);
  await server.send("POST", `${NOTES}/documents`, { documents: DOCUMENTS });
  expect((await Sluice.verify(join(folder, "notes"))).problems).toEqual([]);
});

test("a name that differs only in case is refused: on some disks both are one folder", async () => {
  expect(codeOf(await server.send("PUT", NOTES, WORDS))).toEqual([200, undefined]);
  expect(codeOf(await server.send("PUT", "/v1/indexes/NOTES", WORDS))).toEqual([409, "index_exists"]);
  const both = ["PUT", "PUT"].map((method, i) =>
    server.send(method, `/v1/indexes/${["New", "new"][i]}`, WORDS),
  );
  expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
  const { body } = await server.send("PUT", "/v1/indexes/a.b", WORDS);
  expect(body.error.message).toBe(
    "path.name: a name has 1 to 64 letters, digits, - and _, and starts with a letter or a digit",
  );
});

test("a name whose folder holds something else is refused, and that stays", async () => {
  mkdirSync(join(folder, "photos"));
  writeFileSync(join(folder, "photos", "one.jpg"), "x");
  expect(codeOf(await server.send("PUT", "/v1/indexes/photos", WORDS))).toEqual([409, "index_exists"]);
  expect(codeOf(await server.send("DELETE", "/v1/indexes/photos"))).toEqual([404, "no_index"]);
  expect(readdirSync(join(folder, "photos"))).toEqual(["one.jpg"]);
});

test("an index that is searched and changed can be dropped; those who use it get 404", async () => {
  const { entries, log } = keepLog();
  await restart({ log });
  await server.send("PUT", NOTES, WORDS);
  await server.send("POST", `${NOTES}/documents`, { documents: DOCUMENTS });
  // A search that is running, and a change whose body never ends.
  let entered = () => {};
  const running = new Promise<void>((resolve) => {
    entered = resolve;
  });
  vi.spyOn(Sluice.prototype, "searchAll").mockImplementation(async (_, options) => {
    entered();
    const signal = options!.signal!;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw signal.reason;
  });
  const search = server.send("GET", `${NOTES}/search?query=gate`);
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":"9","text":"x"}\n')),
  });
  const change = server.raw("POST", `${NOTES}/documents`, body, LINES).catch(() => undefined);
  await running;
  await expect
    .poll(async () => (await server.send("GET", "/metrics")).body)
    .toMatch(/^sluice_http_in_flight 2$/m);
  const dropped = await server.send("DELETE", NOTES);
  expect(dropped.status).toBe(200);
  expect(codeOf(await search)).toEqual([404, "no_index"]);
  await change; // the server may hang up before the client has read the answer
  const refused = entries.map(([entry]) => entry).filter(({ status }) => status === 404);
  expect(refused.map(({ method, code }) => [method, code]).sort()).toEqual([
    ["GET", "no_index"],
    ["POST", "no_index"],
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test("many searches, creates and drops of one name at once: every answer is one of the expected", async () => {
  const seen = new Set<number>();
  const asked = Array.from({ length: 60 }, async (_, i) => {
    const reply =
      i % 3 === 0
        ? await server.send("PUT", NOTES, WORDS)
        : i % 3 === 1
          ? await server.send("DELETE", NOTES)
          : await server.send("GET", `${NOTES}/search?query=gate`);
    seen.add(reply.status);
  });
  await Promise.all(asked);
  expect([...seen].filter((status) => ![200, 404, 409].includes(status))).toEqual([]);
  await server.send("DELETE", NOTES);
  expect(readdirSync(folder)).toEqual([]);
});

test("what a crash in a create or a drop leaves is removed, and nothing else", async () => {
  await server.send("PUT", NOTES, WORDS);
  await server.send("POST", `${NOTES}/documents`, { documents: DOCUMENTS });
  await server.close();
  const copy = (name: string) => cpSync(join(folder, "notes"), join(folder, name), { recursive: true });
  const dead = 2 ** 22 + 1; // above the largest process id
  copy(`half.${dead}.tmp`);
  truncateSync(join(folder, `half.${dead}.tmp`, "index.mdb"), 5000);
  copy(`old.${dead}.dropped`);
  copy(`own.${process.pid}.dropped`);
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "readme.txt"), "x");
  server = await startedWithFolder(folder);
  expect(await names()).toEqual(["notes"]);
  expect((await server.send("GET", "/ready")).status).toBe(200);
  expect(readdirSync(folder).sort()).toEqual(["empty", "notes", "readme.txt"]);
  expect((await server.send("GET", `${NOTES}/search?query=gate`)).body.hits).toHaveLength(1);
  expect((await server.send("PUT", "/v1/indexes/old", WORDS)).status).toBe(200);
});

test("a create that fails leaves nothing", async () => {
  vi.spyOn(Sluice.prototype, "commit").mockRejectedValue(new Error("killed"));
  expect(codeOf(await server.send("PUT", NOTES, WORDS))).toEqual([500, "internal"]);
  vi.restoreAllMocks();
  expect(readdirSync(folder)).toEqual([]);
  expect((await server.send("PUT", NOTES, WORDS)).status).toBe(200);
});

test("a damaged index does not stop the others: it is reported, and can be dropped", async () => {
  await server.send("PUT", NOTES, WORDS);
  await server.send("PUT", "/v1/indexes/broken", WORDS);
  await server.close();
  writeFileSync(join(folder, "broken", "index.mdb"), "x".repeat(20_000));
  const logged: object[] = [];
  const log = { info() {}, warn() {}, error: (entry: object) => logged.push(entry) };
  server = await startedWithFolder(folder, { log });
  expect(logged).toMatchObject([{ index: "broken" }]);
  expect((await server.send("GET", "/v1/indexes")).body).toMatchObject({
    indexes: [{ name: "notes" }],
    unavailable: ["broken"],
  });
  expect((await server.send("GET", "/ready")).body.indexes).toEqual({
    notes: { ready: true },
    broken: { ready: false },
  });
  const asked = await server.send("GET", "/v1/indexes/broken/search?query=x");
  expect(codeOf(asked)).toEqual([503, "unavailable"]);
  expect(JSON.stringify(asked.body)).not.toContain(folder);
  expect(codeOf(await server.send("PUT", "/v1/indexes/broken", WORDS))).toEqual([409, "index_exists"]);
  expect((await server.send("DELETE", "/v1/indexes/broken")).status).toBe(200);
  expect((await server.send("GET", "/ready")).status).toBe(200);
});

test("a link to an index is served, and the log names what is not", async () => {
  await server.send("PUT", NOTES, WORDS);
  await server.close();
  const elsewhere = mkdtempSync(join(tmpdir(), "sluice-elsewhere-"));
  cpSync(join(folder, "notes"), join(elsewhere, "books"), { recursive: true });
  symlinkSync(join(elsewhere, "books"), join(folder, "linked"));
  symlinkSync(join(elsewhere, "gone"), join(folder, "dangling"));
  symlinkSync(join(folder, "loop"), join(folder, "loop"));
  symlinkSync(join(elsewhere, "gone"), join(folder, "no index, either"));
  cpSync(join(folder, "notes"), join(folder, "bad name"), { recursive: true });
  mkdirSync(join(folder, "no index"));
  writeFileSync(join(folder, "README.md"), "");
  symlinkSync(join(folder, "README.md"), join(folder, "file"));
  const { entries, log } = keepLog();
  server = await startedWithFolder(folder, { log });
  expect(entries.filter(([entry]) => "error" in entry)).toEqual([
    [{ index: "dangling", error: expect.stringContaining("no such file or folder") }, expect.any(String)],
    [{ index: "loop", error: expect.stringContaining("leads to itself") }, expect.any(String)],
    [
      { folder: "bad name", error: expect.stringContaining("cannot name an index") },
      "the index is not served",
    ],
  ]);
  expect(await names()).toEqual(["linked", "notes"]);
  expect((await server.send("PUT", "/v1/indexes/linked/documents", { documents: DOCUMENTS })).status).toBe(
    200,
  );
  expect((await server.send("GET", "/v1/indexes/linked/search?query=gate")).body.hits).toHaveLength(1);
  await server.close();
  rmSync(elsewhere, { recursive: true });
});

test("an index that another process writes to is not dropped", async () => {
  await server.send("PUT", NOTES, WORDS);
  const other = await Sluice.open(join(folder, "notes"));
  await other.add(DOCUMENTS);
  expect(codeOf(await server.send("DELETE", NOTES))).toEqual([503, "unavailable"]);
  await other.close();
  expect((await server.send("DELETE", NOTES)).status).toBe(200);
});

test("the number of indexes has a limit", async () => {
  await restart({ limits: { indexes: 2 } });
  const made = ["a", "b", "c"].map((name) => server.send("PUT", `/v1/indexes/${name}`, WORDS));
  expect((await Promise.all(made)).map(codeOf).sort()).toEqual([
    [200, undefined],
    [200, undefined],
    [400, "limit"],
  ]);
});

test("a read key creates, changes and drops nothing", async () => {
  const [read, write] = ["read-key-0123456789abcdef", "write-key-0123456789abcdef"];
  await restart({ keys: { read: [read], admin: [write] } });
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const changes = [
    ["PUT", WORDS],
    ["PATCH", { lambda: 1 }],
    ["DELETE", undefined],
  ] as const;
  for (const [method, body] of changes) {
    expect(codeOf(await server.send(method, NOTES, body))).toEqual([401, "no_key"]);
    expect(codeOf(await server.send(method, NOTES, body, as(read)))).toEqual([403, "not_admin"]);
    expect((await server.send(method, NOTES, body, as(write))).status).toBe(200);
  }
});

test("a server without a folder, or with one to read only, creates and drops nothing", async () => {
  const plain = await started();
  expect(codeOf(await plain.send("PUT", NOTES, WORDS))).toEqual([403, "no_folder"]);
  expect(codeOf(await plain.send("DELETE", "/v1/indexes/things"))).toEqual([403, "no_folder"]);
  await server.send("PUT", NOTES, WORDS);
  await server.close();
  const readOnly = await ServedFolder.open(folder, { readOnly: true });
  server = await startedWithFolder(folder, { folder: readOnly });
  expect(codeOf(await server.send("DELETE", NOTES))).toEqual([403, "read_only"]);
  expect(codeOf(await server.send("PATCH", NOTES, { lambda: 1 }))).toEqual([403, "read_only"]);
  expect((await server.send("GET", "/v1/indexes")).body.canCreate).toBe(false);
  await server.close();
  await readOnly.close();
  // An index that the program gave is not the folder's.
  const mixed = await ServedFolder.open(folder);
  const both = createServer({ things: plain.index }, { folder: mixed, page: false });
  const reply = await both.fetch(new Request("http://localhost/v1/indexes/things", { method: "DELETE" }));
  const { error } = (await reply.json()) as ErrorAnswer;
  expect([reply.status, error.code]).toEqual([403, "fixed_index"]);
  await expect(serve({ notes: plain.index }, { port: 0, folder })).rejects.toThrow(
    /two indexes are named notes/,
  );
  await both.close();
  await mixed.close();
  await plain.end();
  server = await startedWithFolder(folder);
});
