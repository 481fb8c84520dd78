// Keys with bounds, over HTTP: what each may do, with which index, until when; files of keys; and keys that change while the
// server runs.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DOCUMENTS, keepLog, started, startedWithFolder, THINGS } from "../../../test/helpers/server.ts";
import { Sluice, SluiceError } from "../../index.ts";
import { createServer } from "../app.ts";
import { ROUTES, type Route } from "../routes/routes.ts";
import { keysOfFile, newKey } from "./key-file.ts";
import { type KeyEntry, Keys } from "./keys.ts";

const [READ, WRITE, ADMIN] = ["read", "write", "admin"].map((access) => `${access}-key-0123456789abcdef`);
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const folder = mkdtempSync(join(tmpdir(), "sluice-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("what a key may do", () => {
  type Server = Awaited<ReturnType<typeof startedWithFolder>>;
  let server: Server;
  const ONE = "one-index-key-0123456789";
  const PAST = "an-expired-key-0123456789";
  beforeAll(async () => {
    for (const name of ["notes", "papers"]) {
      const index = await Sluice.open(join(folder, "indexes", name), { encoder: "none" });
      await index.add(DOCUMENTS);
      await index.commit();
      await index.close();
    }
    server = await startedWithFolder(join(folder, "indexes"), {
      keys: {
        read: [
          READ,
          { key: ONE, indexes: ["notes", "later"] },
          { key: PAST, expires: "2020-01-01", name: "old" },
        ],
        write: [WRITE],
        admin: [ADMIN, { key: `${ONE}-admin`, indexes: ["later"] }],
      },
    });
  });
  afterAll(() => server.close());

  const ask = (key: string, { method, path }: Pick<Route, "method" | "path">, name = "notes") =>
    server.send(
      method.toUpperCase(),
      path.replace("{name}", name).replace("{id}", "none"),
      method === "get" ? undefined : {},
      bearer(key),
    );

  test("every route refuses a key that may do less, and takes one that may do as much", async () => {
    const order = { open: 0, read: 1, write: 2, admin: 3 };
    for (const [route, { access, ...asked }] of Object.entries(ROUTES)) {
      for (const [key, may] of [
        [READ, 1],
        [WRITE, 2],
        [ADMIN, 3],
      ] as const) {
        if (may >= order[access] && access !== "read") continue; // would change something
        const { status, body } = await ask(key, asked);
        const refused = ["read_key", "not_admin", "no_key"].includes(body.error?.code);
        const expected = may < order[access];
        expect([route, key, refused, status === 403 && refused]).toEqual([route, key, expected, expected]);
      }
    }
  });

  test("a write key changes documents, and does not create, set, drop or back up", async () => {
    const documents = { documents: [{ id: "new", text: "an okapi" }] };
    const added = await server.send("PUT", "/v1/indexes/notes/documents", documents, bearer(WRITE));
    expect(added.body).toMatchObject({ added: 1 });
    const refused = [
      await server.send("PUT", "/v1/indexes/more", {}, bearer(WRITE)),
      await server.send("PATCH", "/v1/indexes/notes", { lambda: 2 }, bearer(WRITE)),
      await server.send("DELETE", "/v1/indexes/notes", undefined, bearer(WRITE)),
      await server.send("GET", "/v1/indexes/notes/backup", undefined, bearer(WRITE)),
    ];
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
      refused.map(() => [403, "not_admin"]),
    );
    expect((await server.send("PATCH", "/v1/indexes/notes", { lambda: 2 }, bearer(ADMIN))).status).toBe(200);
  });

  test("a key for an index sees no other: not in routes, lists, metrics, reports or readiness", async () => {
    for (const [name, route] of Object.entries(ROUTES)) {
      if (!route.path.startsWith("/v1/indexes/{name}") || route.access !== "read") continue;
      for (const other of ["papers", "no-such-index"]) {
        const { status, body } = await ask(ONE, route, other);
        expect([name, status, body.error.code]).toEqual([name, 403, "wrong_index"]);
      }
      expect((await ask(ONE, route)).body.error?.code).not.toBe("wrong_index");
    }
    for (const [key, access] of [
      [READ, "read"],
      [ADMIN, "admin"],
    ]) {
      const { body } = await server.send("GET", "/v1/indexes", undefined, bearer(key));
      expect(body).toMatchObject({ access, canCreate: access === "admin" });
    }
    const names = (key: string) =>
      server
        .send("GET", "/v1/indexes", undefined, bearer(key))
        .then(({ body }) => body.indexes.map(({ name }: { name: string }) => name));
    expect(await names(ONE)).toEqual(["notes"]);
    expect(await names(READ)).toEqual(["notes", "papers"]);
    const metrics = (await server.send("GET", "/metrics", undefined, bearer(ONE))).body;
    expect(metrics).toContain('sluice_index_documents{index="notes"}');
    expect(metrics).not.toContain("papers");
    const ready = async (headers = {}) => (await server.send("GET", "/ready", undefined, headers)).body;
    expect(await ready()).toEqual({ status: "ready", indexes: {} });
    expect(await ready(bearer(ONE))).toEqual({ status: "ready", indexes: { notes: { ready: true } } });
    expect((await server.send("GET", "/v1/reports", undefined, bearer(ONE))).body).toEqual({ reports: [] });
    expect((await server.send("GET", "/v1/reports/x", undefined, bearer(ONE))).status).toBe(403);
    expect((await server.send("GET", "/v1/reports/x", undefined, bearer(READ))).status).toBe(404);
  });

  test("an admin key for an index creates and drops only that one", async () => {
    const admin = bearer(`${ONE}-admin`);
    expect((await server.send("PUT", "/v1/indexes/other", {}, admin)).body.error.code).toBe("wrong_index");
    expect((await server.send("DELETE", "/v1/indexes/notes", undefined, admin)).status).toBe(403);
    expect((await server.send("PUT", "/v1/indexes/later", { encoder: "none" }, admin)).status).toBe(200);
    expect((await server.send("DELETE", "/v1/indexes/later", undefined, admin)).status).toBe(200);
  });

  test("an expired key is refused with a code of its own", async () => {
    const { status, body, headers } = await server.send("GET", "/v1/indexes", undefined, bearer(PAST));
    expect([status, body.error.code, headers.get("www-authenticate")]).toEqual([
      401,
      "expired_key",
      "Bearer",
    ]);
    expect(body.error.message).toContain("2020-01-01");
    expect(body.error.hint).toContain("sluice key makes one"); // the client sent a key
  });
});

test("a key ends at its time, and not before", () => {
  const keys = new Keys({ read: [{ key: READ, expires: "2027-01-01" }] });
  vi.useFakeTimers({ now: Date.UTC(2026, 11, 31, 23, 59, 59) });
  expect(keys.identifyCaller(`Bearer ${READ}`, "read").key).toHaveLength(8);
  vi.setSystemTime(Date.UTC(2027, 0, 1));
  expect(() => keys.identifyCaller(`Bearer ${READ}`, "read")).toThrow("expired");
  vi.useRealTimers();
});

test("a hash lets its key in, and is no key itself", () => {
  const { key, line } = newKey("write", { name: "ci", indexes: ["a", "b"], expires: "2099-01-01" });
  const [, hash, ...bounds] = line.split(" ");
  expect([hash, bounds]).toEqual([
    expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    ["index=a,b", "expires=2099-01-01", "name=ci"],
  ]);
  expect(line).not.toContain(key);
  expect(newKey("write").key).not.toBe(key);
  expect(() => newKey("write", { expires: "2020-01-01" })).toThrow("is past");
  const keys = new Keys({ write: [{ key: hash, name: "ci" }] });
  expect(keys.identifyCaller(`Bearer ${key}`, "write").key).toBe("ci");
  for (const wrong of [hash, hash.slice(7)])
    expect(() => keys.identifyCaller(`Bearer ${wrong}`, "read")).toThrow("does not know");
});

test("bounds that cannot be meant are refused, without a word of the key", () => {
  const bad: [Partial<KeyEntry>, string][] = [
    [{ key: "sha256:12" }, "sha256: without 64"],
    [{ key: "short" }, "5 characters"],
    [{ key: "a key with white space" }, "HTTP header"],
    [{ indexes: ["../up"] }, '"../up"'],
    [{ indexes: [] }, "for no index"],
    [{ expires: "tomorrow" }, "not a day"],
    [{ expires: "2027-13-01" }, "not a day"],
    [{ expires: "2027-02-30" }, "not a day"],
    [{ expires: "2027-02-29T12:00:00Z" }, "not a day"],
    [{ expires: "2027-01-01T00:00:00" }, "not a day"],
    [{ name: "two words" }, "cannot name a key"],
  ];
  for (const [entry, message] of bad) {
    const make = () => new Keys({ read: [{ key: READ, ...entry }] });
    expect(make).toThrow(SluiceError);
    expect(make).toThrow(message);
    expect(make).not.toThrow(READ);
  }
});

test("a file of keys", async () => {
  const file = join(folder, "keys");
  const hash = `sha256:${"a".repeat(64)}`;
  writeFileSync(
    file,
    `# who may read\nread abcdefghijklmnop # the page\n\nwrite 0123456789abcdef\r\n` +
      `admin ${hash} name=ops expires=2030-01-01 index=notes,papers\n`,
  );
  expect(await keysOfFile(file)).toEqual({
    read: [{ key: "abcdefghijklmnop" }],
    write: [{ key: "0123456789abcdef" }],
    admin: [{ key: hash, name: "ops", expires: "2030-01-01", indexes: ["notes", "papers"] }],
  });
  const bad: [string, string][] = [
    ["\nowner abcdefghijklmnop\n", `${file}:2: expected "read KEY", "write KEY" or "admin KEY"`],
    ["read\n", "expected"],
    ["read abcdefghijklmnop secret\n", "expected index=NAMES, expires=DAY or name=NAME"],
    ["read abcdefghijklmnop until=2027\n", "expected index=NAMES"],
    ["read abcdefghijklmnop expires=soon\n", `${file}:1: "soon" is not a day`],
    ["read abcdefghijklmnop index=\n", "for no index"],
    ["# nothing\n", "no key"],
  ];
  for (const [text, message] of bad) {
    writeFileSync(file, text);
    await expect(keysOfFile(file)).rejects.toThrow(message);
    await expect(keysOfFile(file)).rejects.not.toThrow(/abcdefghijklmnop|secret/);
  }
  await expect(keysOfFile(join(folder, "none"))).rejects.toThrow(SluiceError);
});

test("a file of keys is read again while the server runs; a bad one is logged, and the old keys stay", async () => {
  const file = join(folder, "reloaded");
  const { entries, log } = keepLog();
  writeFileSync(file, `read ${READ}\n`);
  const server = await started({ keys: file, log });
  const status = async (key: string) => (await server.send("GET", THINGS, undefined, bearer(key))).status;
  expect([await status(READ), await status(WRITE)]).toEqual([200, 401]);
  writeFileSync(file, `write ${WRITE}\n`);
  expect([await status(READ), await status(WRITE)]).toEqual([200, 401]);
  await server.reload();
  expect([await status(READ), await status(WRITE)]).toEqual([401, 200]);
  for (const bad of ["write short\n", "", "# no key\n"]) {
    writeFileSync(file, bad);
    await server.reload();
    expect([await status(READ), await status(WRITE)]).toEqual([401, 200]);
  }
  const told = entries.map(([, message]) => message).filter((message) => message.includes("keys cannot"));
  expect(told).toEqual(Array(3).fill("the file of keys cannot be used; the old keys stay"));
  await server.end();
});

test("a server keeps its kind: with keys, or without", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const [open, closed] = [{}, { keys: { read: [READ] } }].map((options) => createServer({ index }, options));
  expect(() => open.setKeys({ read: [READ] })).toThrow("keeps its kind");
  expect(() => closed.setKeys({})).toThrow("keeps its kind");
  closed.setKeys({ admin: [ADMIN] });
  const asked = new Request("http://localhost/v1/indexes", { headers: bearer(ADMIN) });
  expect((await closed.fetch(asked)).status).toBe(200);
  for (const server of [open, closed]) await server.close();
  await index.close();
});
