// A backup that is downloaded is the index: it can be restored, and leaves nothing beside the index.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DOCUMENTS, started, THINGS } from "../../../test/helpers/server.ts";
import { Sluice } from "../../index.ts";
import { createServer } from "../app.ts";

const [WRITE, ADMIN] = ["write-key-0123456789abcdef", "admin-key-0123456789abcdef"];
const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

test("a backup is downloaded, restored and searched", async () => {
  const server = await started({ keys: { write: [WRITE], admin: [ADMIN] } });
  const dead = 2 ** 22 + 1; // above the largest process id
  mkdirSync(join(server.folder, `index.${dead}.1.backup`));
  const backup = `${server.url}${THINGS}/backup`;
  expect((await fetch(backup)).status).toBe(401);
  expect((await fetch(backup, as(WRITE))).status).toBe(403);
  const response = await fetch(backup, as(ADMIN));
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/x-tar");
  expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="things-\d+\.tar"$/);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.headers.get("content-length")).toBe(String(bytes.length));
  await expect.poll(() => readdirSync(server.folder)).toEqual(["index"]);
  const folder = mkdtempSync(join(tmpdir(), "sluice-restored-"));
  writeFileSync(join(folder, "things.tar"), bytes);
  expect(await Sluice.restore(join(folder, "things.tar"), join(folder, "things"))).toMatchObject({
    docs: DOCUMENTS.length,
  });
  const restored = await Sluice.open(join(folder, "things"));
  expect((await restored.search("gate")).hits.map(({ id }) => id)).toEqual(["3"]);
  await restored.close();
  rmSync(folder, { recursive: true });
  await server.end();
});

test("downloads at once, beside changes, are whole; one that is given up leaves nothing", async () => {
  const server = await started();
  const download = async () => (await fetch(`${server.url}${THINGS}/backup`)).arrayBuffer();
  const add = (i: number) =>
    server.send("POST", `${THINGS}/documents`, { documents: [{ id: `new ${i}`, text: "an okapi" }] });
  const [files] = await Promise.all([
    Promise.all([download(), download(), download()]),
    Promise.all([add(1), add(2), add(3)]),
  ]);
  for (const file of files) expect(file.byteLength % 512).toBe(0);
  const { body } = await fetch(`${server.url}${THINGS}/backup`);
  await body!.cancel();
  await expect.poll(() => readdirSync(server.folder)).toEqual(["index"]);
  await server.end();
});

test("an index in memory has no files to download", async () => {
  const index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const server = createServer({ things: index }, { page: false });
  const response = await server.fetch(new Request(`http://localhost${THINGS}/backup`));
  expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "no_files" } }]);
  await server.close();
});
