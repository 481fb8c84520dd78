// What `save` writes of an index in memory: documents are compressed on the disk, even those that memory holds as they are.

import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Sluice } from "../../src/index.ts";

test("save compresses the documents of small commits", async () => {
  const documents = Array.from({ length: 3000 }, (_, i) => ({
    id: `document ${i}`,
    text: `The ${i} boats of canal ${i % 97} wait below lock ${i % 13}, and nobody opens the upper gate before noon. `.repeat(
      4,
    ),
  }));
  const jsonBytes = JSON.stringify(documents).length;
  const index = await Sluice.build(documents.slice(0, 1000), { encoder: "none" });
  for (let at = 1000; at < documents.length; at += 500) {
    await index.add(documents.slice(at, at + 500));
    await index.commit();
  }
  const parent = await mkdtemp(join(tmpdir(), "sluice-copy-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, "index");
  await index.save(folder);
  await index.close();

  const { size } = await stat(join(folder, "index.mdb"));
  expect(size).toBeLessThan(jsonBytes / 2);
  expect((await Sluice.verify(folder)).problems).toEqual([]);
  const saved = await Sluice.open(folder, { readOnly: true });
  for (const { id, text } of documents) expect(await saved.document(id)).toEqual({ text });
  await saved.close();
});
