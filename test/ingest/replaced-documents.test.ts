// Documents of one call that replace each other: they do not pile up in memory, and the last one is found.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import { Encoder } from "../../src/encode/encoder.ts";
import { LiveIndex } from "../../src/ingest/live-index.ts";
import { NewIndex } from "../../src/ingest/options/new-index.ts";

const most = 10;

test.each([
  ["one call", 1],
  ["many calls", 35],
])("%s", async (_, calls) => {
  const newIndex = new NewIndex(
    { encoder: undefined, isEncoderUndecided: false, analyzer: whitespace },
    Encoder.open,
  );
  const folder = mkdtempSync(join(tmpdir(), "sluice-replaced-"));
  const live = await LiveIndex.open(folder, { newIndex, bufferIds: most });
  const documents = Array.from({ length: 35 }, (_, i) => ({ id: "a", text: `lock number${i}` }));
  const perCall = documents.length / calls;
  for (let from = 0; from < documents.length; from += perCall) {
    await live.change(async (writer) => {
      await writer.add(documents.slice(from, from + perCall), { upsert: true });
      expect(writer.pending.buffer.length).toBeLessThan(most);
    });
  }
  await live.commit();
  expect(live.snapshot.ids).toEqual(["a"]);
  const kept = live.snapshot.segments.map(
    ({ source, deleted }) => source.serials.length - (deleted?.count() ?? 0),
  );
  expect(kept).toEqual([1]);
  await live.close();
});
