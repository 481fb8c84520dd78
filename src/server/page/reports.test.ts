import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { started, type TestServer } from "../../../test/helpers/server.ts";

const report = (title: string, date: string) => ({
  name: "x",
  title,
  about: "what was measured",
  made: { command: "sluice experiment x", date, machine: "a machine" },
  tables: [{ caption: "a table", header: ["", "ms"], rows: [["exact", "1"]] }],
  plots: [
    {
      caption: "a plot",
      x: { label: "ms", scale: "log" },
      y: { label: "R@100", percent: true },
      series: [{ name: "exact", points: [{ x: 1, y: null }] }],
    },
  ],
  notes: [],
});

const folder = mkdtempSync(join(tmpdir(), "sluice-reports-"));
let server: TestServer;
beforeAll(async () => {
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  write("older.json", report("Older", "2026-01-01"));
  write("newer.json", report("Newer", "2026-02-01"));
  write("half.json", '{"name": "ha');
  write("other.json", { title: "no report" });
  write("older.html", "<p>");
  write("a name with spaces.json", report("Odd", "2026-03-01"));
  server = await started({ reports: folder });
});
afterAll(() => server.end());

test("reports are listed, newest first; other files are skipped", async () => {
  const { body } = await server.send("GET", "/v1/reports");
  expect(body.reports).toEqual([
    { name: "newer", title: "Newer", made: "2026-02-01" },
    { name: "older", title: "Older", made: "2026-01-01" },
  ]);
});

test("a report comes as it was written", async () => {
  const { status, body } = await server.send("GET", "/v1/reports/newer");
  expect(status).toBe(200);
  expect(body).toEqual(report("Newer", "2026-02-01"));
});

test("no name leads out of the folder", async () => {
  for (const name of [
    "none",
    "half",
    "other",
    "..%2Fnewer",
    "%2Fetc%2Fpasswd",
    "newer.json",
    "a%20name%20with%20spaces",
  ]) {
    const { status, body } = await server.send("GET", `/v1/reports/${name}`);
    expect([name, status, body.error.code]).toEqual([name, 404, "no_report"]);
  }
});

test("a server without a folder, or whose folder vanished, has none", async () => {
  const plain = await started();
  expect((await plain.send("GET", "/v1/reports")).body).toEqual({ reports: [] });
  await plain.end();
  rmSync(folder, { recursive: true });
  expect((await server.send("GET", "/v1/reports")).body).toEqual({ reports: [] });
  expect((await server.send("GET", "/v1/reports/newer")).status).toBe(404);
});

test("fields and the process are described", async () => {
  const { body } = await server.send("GET", "/v1/indexes/things/fields");
  expect(body.fields).toEqual(await server.index.fields());
  expect(body.fields.map(({ name }: { name: string }) => name)).toEqual(["kind", "year"]);
  vi.spyOn(process, "uptime").mockReturnValue(12.5);
  const { memory, uptimeSeconds } = (await server.send("GET", "/v1/server")).body;
  expect(uptimeSeconds).toBe(12.5);
  expect(memory.residentBytes).toBeGreaterThan(memory.heapBytes);
});
