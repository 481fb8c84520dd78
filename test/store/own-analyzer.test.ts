// An index with an analyzer of the caller's own that is named like a built-in one, and the other way round.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";

const own = { name: "german", terms: (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean) };
const folder = mkdtempSync(join(tmpdir(), "sluice-own-analyzer-"));
const write = async (name: string, analyzer: typeof own | "german") => {
  const index = await Sluice.open(join(folder, name), { analyzer, encoder: "none" });
  await index.upsert([{ id: "a", text: "Häuser Städte" }]);
  await index.commit();
  await index.close();
};

test("an index with an own analyzer does not open with the built-in one of that name", async () => {
  await write("own", own);
  const error = {
    code: "ERR_SLUICE_INVALID",
    message: /analyzer of your own, german, not the built-in german/,
  };
  await expect(Sluice.open(join(folder, "own"), { analyzer: "german" })).rejects.toMatchObject({
    ...error,
    message: expect.stringMatching(error.message),
  });
  const again = await Sluice.open(join(folder, "own"), { analyzer: own });
  expect((await again.search("Häuser")).hits).toHaveLength(1);
  await again.close();
});

test("nor does one with a built-in analyzer open with an own one of that name", async () => {
  await write("built-in", "german");
  await expect(Sluice.open(join(folder, "built-in"), { analyzer: own })).rejects.toThrow(
    /opened with the analyzer german, an analyzer of your own, but the index has german/,
  );
});
