// A server without optional packages: what needs one is refused with the name of the package.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { started, startedWithFolder, THINGS } from "../../../test/helpers/server.ts";

vi.mock("hyparquet", () => {
  throw new Error("not here");
});

vi.mock("multilingual-stemmer", () => {
  throw new Error("not here");
});

test("an index whose analyzer needs a missing package is refused by the package's name", async () => {
  const server = await startedWithFolder(mkdtempSync(join(tmpdir(), "sluice-missing-")));
  const { status, body, headers } = await server.send("PUT", "/v1/indexes/eu", { analyzer: "basque" });
  expect([status, body.error.code]).toEqual([501, "missing_package"]);
  expect(body.error.message).toMatch(/lacks the package multilingual-stemmer$/);
  expect(body.error.hint).toMatch(/npm install multilingual-stemmer, and then start the server again/);
  expect(JSON.stringify(body)).not.toMatch(/not here/);
  expect(headers.has("retry-after")).toBe(false);
  await server.close();
});

test("a file that needs a missing package is refused by the package's name", async () => {
  const server = await started();
  const type = { "content-type": "application/octet-stream" };
  const { status, body } = await server.raw("POST", `${THINGS}/upload?file=a.parquet`, "PAR1", type);
  expect([status, body.error.code]).toEqual([501, "missing_package"]);
  expect(body.error.message).toMatch(/lacks the package hyparquet$/);
  expect(JSON.stringify(body)).not.toMatch(/sluice-upload-|not here/);
  // So the page does not offer it.
  const { formats } = (await server.send("GET", "/v1/server")).body;
  expect(formats.map(({ format }: { format: string }) => format)).toEqual([
    ...["jsonl", "json", "csv", "markdown", "text"],
  ]);
  await server.end();
});
