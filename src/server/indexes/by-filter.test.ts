// Documents by filter over HTTP: lists with a read key, deletes with a write key, within the limits, in transactions, in the
// audit log.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { started, THINGS } from "../../../test/helpers/server.ts";

const [READ, WRITE] = ["a-secret-read-key-0123", "a-secret-write-key-0123"];
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const OLD = { filter: { year: { lt: 1900 } } };

test("pages by POST and GET are the same, and a list needs no body", async () => {
  const server = await started();
  const post = (body?: object) => server.send("POST", `${THINGS}/list`, body);
  const first = await post({ limit: 2, fields: ["year"] });
  expect(first.body).toMatchObject({
    documents: [
      { id: "1", document: { year: 1919 } },
      { id: "2", document: {} },
    ],
    total: 3,
    next: expect.any(String),
  });
  const rest = `limit=2&fields=["year"]&after=${first.body.next}`;
  const second = await server.send("GET", `${THINGS}/list?${rest}`);
  expect(second.body).toEqual({
    documents: [{ id: "3", document: { year: 1340 } }],
    total: 3,
    totalMs: expect.any(Number),
  });
  expect((await post()).body.documents).toHaveLength(3);
  const filter = encodeURIComponent(JSON.stringify(OLD.filter));
  const counted = await server.send("GET", `${THINGS}/list?limit=0&filter=${filter}`);
  expect(counted.body).toMatchObject({ documents: [], total: 1 });
  await server.end();
});

test("wrong requests are refused, and delete nothing", async () => {
  const server = await started({ limits: { limit: 200 } });
  const list = async (body: object) => (await server.send("POST", `${THINGS}/list`, body)).body.error;
  expect(await list({ limit: 201 })).toMatchObject({
    code: "limit",
    message: "limit is 201; this server allows 200",
    hint: "its operator can raise limits.limit",
  });
  expect((await list({ after: "x" })).message).toContain("after: expected the `next` of an earlier list");
  expect((await list({ k: 3 })).code).toBe("invalid");
  expect((await list({ filter: { text: "a" } })).message).toContain("is searched, not filtered");
  const remove = async (body: object) => {
    const { status, body: answer } = await server.send("DELETE", `${THINGS}/documents`, body);
    expect(status).toBe(400);
    return answer.error.message;
  };
  expect(await remove({})).toContain("expected either ids or a filter");
  expect(await remove({ ids: ["1"], ...OLD })).toContain("expected either ids or a filter");
  expect(await remove({ ...OLD, withPassages: true })).toContain("withPassages goes with ids");
  expect(await remove({ filter: { year: { below: 1900 } } })).toContain("filter.year");
  expect(await remove({ filter: null })).toContain("filter");
  expect(server.index.docs).toBe(3);
  await server.end();
});

test("more passages than the limit of a list are refused", async () => {
  const server = await started({ limits: { limit: 200 } });
  const get = async (count: number) => {
    const documents = [{ id: "long", text: "gnu. ".repeat(count) }];
    await server.send("PUT", `${THINGS}/documents?passages={"words":1}`, { documents });
    return (await server.send("GET", `${THINGS}/documents/long/passages`)).body;
  };
  expect((await get(200)).passages).toHaveLength(200);
  expect((await get(201)).error.message).toBe(
    "the number of passages is more than 200; this server allows 200",
  );
  await server.end();
});

test("a list takes a read key, a delete a write key, and both stay within the indexes of the key", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-by-filter-audit-"));
  const audit = join(folder, "audit.jsonl");
  const keys = {
    read: [READ],
    write: [
      { key: WRITE, indexes: ["things"] },
      { key: `${WRITE}-2`, indexes: ["x"] },
    ],
  };
  const server = await started({ keys, audit });
  const status = async (method: string, path: string, key: string | undefined) =>
    (await server.send(method, `${THINGS}${path}`, OLD, key === undefined ? {} : bearer(key))).status;
  expect(await status("POST", "/list", undefined)).toBe(401);
  expect(await status("POST", "/list", `${WRITE}-2`)).toBe(403);
  expect(await status("POST", "/list", READ)).toBe(200);
  expect(await status("DELETE", "/documents", READ)).toBe(403);
  expect(await status("DELETE", "/documents", `${WRITE}-2`)).toBe(403);
  expect(server.index.docs).toBe(3);
  expect(await status("DELETE", "/documents", WRITE)).toBe(200);
  expect(server.index.docs).toBe(2);
  const lines = readFileSync(audit, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ event }) => event !== "refused")).toMatchObject([
    { event: "begin", method: "DELETE", index: "things" },
    { event: "end", status: 200, deleted: 1, committed: true },
  ]);
  await server.end();
  rmSync(folder, { recursive: true });
});

test("a delete by filter sees its transaction, and a rollback brings everything back", async () => {
  const server = await started();
  const documents = `${THINGS}/documents`;
  const added = { documents: [{ id: "4", text: "weir", year: 1500 }] };
  const { transaction } = (await server.send("POST", `${documents}?commit=false`, added)).body;
  const deleted = await server.send("DELETE", `${documents}?commit=false&transaction=${transaction}`, OLD);
  expect(deleted.body).toMatchObject({ deleted: 2, committed: false, transaction, docs: 3 });
  await server.send("POST", `${THINGS}/rollback?transaction=${transaction}`);
  expect((await server.send("POST", `${THINGS}/list`, {})).body.total).toBe(3);
  const all = await server.send("DELETE", documents, { filter: {} });
  expect(all.body).toMatchObject({ deleted: 3, committed: true, docs: 0 });
  await server.end();
});
