// A server without hyparquet: a Parquet file is refused with the name of the package.

import { expect, test, vi } from "vitest";
import { started, THINGS } from "../../../test/helpers/server.ts";

vi.mock("hyparquet", () => {
  throw new Error("not here");
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
