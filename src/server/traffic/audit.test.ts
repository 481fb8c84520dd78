// The audit log: every change and every refused access has its lines, and nothing is changed that cannot be written down.

import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { keepLog, LINES, started, startedWithFolder, THINGS } from "../../../test/helpers/server.ts";
import { SluiceError } from "../../index.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-audit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const [READ, ADMIN] = ["a-secret-read-key-0123", "a-secret-admin-key-0123"];
const keys = { read: [READ], admin: [{ key: ADMIN, name: "ops" }] };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

test("changes have two lines, refused requests one, reads none; no words and no keys", async () => {
  const file = join(folder, "audit.jsonl");
  const server = await started({ keys, audit: file });
  const documents = `${THINGS}/documents`;
  const body = { documents: [{ id: "secret id", text: "secret words" }] };
  const asked = { ...bearer(ADMIN), "x-request-id": "mine-1" };
  await server.send("POST", documents, body, asked);
  await server.send("POST", documents, body, bearer(ADMIN)); // the id exists
  const stream = { ...bearer(ADMIN), ...LINES, accept: "text/event-stream" };
  await server.raw("PUT", documents, `${JSON.stringify(body.documents[0])}\n`, stream);
  await server.send("DELETE", documents, { ids: ["secret id"] }, bearer(ADMIN));
  await server.send("GET", `${THINGS}/search?query=secret`, undefined, bearer(READ));
  await server.send("DELETE", documents, { ids: ["1"] }, bearer(READ));
  await server.send("GET", `${THINGS}/search?query=secret`, undefined, bearer("a-secret-wrong-key"));
  await server.send("GET", "/metrics");
  await server.send("GET", THINGS, undefined, { ...bearer(READ), origin: "https://secret.example" });
  const lines = linesOf(file);
  expect(lines.map(({ event, method, status, code }) => [event, method, status, code])).toEqual([
    ["begin", "POST", undefined, undefined],
    ["end", "POST", 200, undefined],
    ["begin", "POST", undefined, undefined],
    ["end", "POST", 409, "duplicate_id"],
    ["begin", "PUT", undefined, undefined],
    ["end", "PUT", 200, undefined],
    ["begin", "DELETE", undefined, undefined],
    ["end", "DELETE", 200, undefined],
    ["refused", "DELETE", 403, "read_key"],
    ["refused", "GET", 401, "wrong_key"],
    ["refused", "GET", 401, "no_key"],
    ["refused", "GET", 403, "wrong_origin"],
  ]);
  const who = { key: "ops", address: "127.0.0.1", route: "/v1/indexes/{name}/documents", index: "things" };
  expect(lines[0]).toMatchObject({ ...who, requestId: "mine-1", time: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect(lines[1]).toMatchObject({ ...who, requestId: "mine-1", added: 1, committed: true });
  expect(lines[7]).toMatchObject({ deleted: 1 });
  expect(lines[11].route).toMatch(/^\/v1\//);
  expect(lines[8].key).toMatch(/^[0-9a-f]{8}$/);
  expect(readFileSync(file, "utf8")).not.toContain("secret");
  expect(statSync(file).mode & 0o077).toBe(0);
  await server.end();
});

test("creating, setting, dropping and backing up are written down, too", async () => {
  const file = join(folder, "admin.jsonl");
  const server = await startedWithFolder(join(folder, "indexes"), { audit: file });
  const notes = "/v1/indexes/notes";
  await server.send("PUT", notes, { encoder: "none" });
  await server.send("PATCH", notes, { lambda: 2 });
  await server.send("GET", `${notes}/backup`);
  await server.send("DELETE", notes);
  expect(linesOf(file).map(({ event, method, index }) => `${event} ${method} ${index}`)).toEqual(
    ["PUT", "PATCH", "GET", "DELETE"].flatMap((method) => [`begin ${method} notes`, `end ${method} notes`]),
  );
  await server.close();
});

test("what cannot be written down is not changed, and reads go on; it mends itself", async () => {
  const file = join(folder, "failing.jsonl");
  const { entries, log } = keepLog();
  const server = await started({ audit: file, log });
  const add = (id: string) => server.send("POST", `${THINGS}/documents`, { documents: [{ id, text: "x" }] });
  expect((await add("before")).status).toBe(200);
  renameSync(file, `${file}.1`);
  mkdirSync(file); // nobody can write to a folder
  await server.reload();
  const refused = await add("unseen");
  expect([refused.status, refused.body.error.code]).toEqual([503, "audit_failed"]);
  expect([await server.index.has("unseen"), server.index.docs]).toEqual([false, 4]);
  expect((await server.send("GET", `${THINGS}/search?query=gate`)).status).toBe(200);
  const told = entries.map(([, message]) => message);
  expect(told.filter((message) => message.includes("audit"))).toEqual(["the audit log cannot be written"]);
  rmSync(file, { recursive: true });
  expect((await add("after")).status).toBe(200);
  expect(linesOf(file).map(({ event }) => event)).toEqual(["begin", "end"]);
  expect(linesOf(`${file}.1`)).toHaveLength(2);
  await server.end();
});

test("nobody can fill the disk with refused requests, where addresses have a rate", async () => {
  const file = join(folder, "flood.jsonl");
  const server = await started({ keys, audit: file, rates: { perAddress: "3/h" } });
  for (let i = 0; i < 10; i++) {
    await server.send("GET", THINGS, undefined, bearer("a-wrong-key-0123456789"));
    await server.send("GET", THINGS, undefined, { ...bearer(READ), origin: "https://evil.example" });
    await server.send("GET", "/metrics");
  }
  expect(linesOf(file)).toHaveLength(3);
  await server.end();
});

test("the file is opened again on reload, so that it can be rotated", async () => {
  const file = join(folder, "rotated.jsonl");
  const server = await started({ audit: file });
  const remove = () => server.send("DELETE", `${THINGS}/documents/none`);
  await remove();
  renameSync(file, `${file}.1`);
  await remove();
  await server.reload();
  await remove();
  expect([linesOf(`${file}.1`).length, linesOf(file).length]).toEqual([4, 2]);
  await server.end();
});

test("a file that cannot be written is an error at the start", async () => {
  await expect(started({ audit: join(folder, "none", "audit.jsonl") })).rejects.toThrow(SluiceError);
});
