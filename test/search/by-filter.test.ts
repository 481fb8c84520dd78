// Documents by filter: lists and deletes equal their plain definitions, in memory, in a folder, with several segments, and with
// changes that are not committed. A list goes on correctly while others write. Wrong options are refused.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { whitespace } from "../../src/analyze/analyzers/whitespace.ts";
import { accepts, checkFilter } from "../../src/documents/filter.ts";
import { Encoder } from "../../src/encode/encoder.ts";
import { type Document, Sluice, SluiceError } from "../../src/index.ts";
import { deleteMatching } from "../../src/ingest/collect/delete-matching.ts";
import { LiveIndex } from "../../src/ingest/live-index.ts";
import { NewIndex } from "../../src/ingest/options/new-index.ts";
import { FILTERS, madeDocuments } from "../helpers/backend-suite.ts";
import { runByFilter } from "../helpers/by-filter-script.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-by-filter-"));
let folders = 0;
const newFolder = () => join(root, String(folders++));
const made = (count: number, seed: number, first: number) => madeDocuments(count, seed, 0, first);

describe.each([
  ["memory", () => Sluice.build([], { encoder: "none" })],
  ["a folder", () => Sluice.open(newFolder(), { encoder: "none" })],
  // So little memory that changes are written to segments before their commit.
  ["a folder, little memory", () => Sluice.open(newFolder(), { encoder: "none", bufferBytes: 3000 })],
] as [string, () => Promise<Sluice>][])("%s", (_, open) => {
  test.each([1, 2, 3])("equals the definition, script %i", async (seed) => {
    const index = await open();
    expect(await runByFilter(index, { seed, steps: 40, filters: FILTERS, made })).toBeGreaterThan(10);
    await index.close();
  });
});

test("ids of deleted documents do not pile up in memory: they are written down on the way", async () => {
  const newIndex = new NewIndex(
    { encoder: undefined, isEncoderUndecided: false, analyzer: whitespace },
    Encoder.open,
  );
  const live = await LiveIndex.open(newFolder(), { newIndex, bufferIds: 5, bufferBytes: 2000 });
  await live.change(async (writer) => writer.add(madeDocuments(40, 7), { upsert: false }));
  await live.commit();
  await live.change(async (writer) => writer.add(madeDocuments(20, 8, 0, 30), { upsert: true }));
  const filter = { year: { lt: 1915 } };
  const most = { ids: 0 };
  const deleted = await live.change(async (writer) => {
    const { intake } = writer;
    const remove = intake.delete.bind(intake);
    intake.delete = async (id) => {
      const wasThere = await remove(id);
      most.ids = Math.max(most.ids, intake.pending.ids.size);
      return wasThere;
    };
    return deleteMatching(intake, checkFilter(filter));
  });
  await live.commit();
  const kept = [...madeDocuments(30, 7), ...madeDocuments(20, 8, 0, 30)].filter(
    (document) => !accepts(checkFilter(filter), document as never),
  );
  expect(live.snapshot.ids).toEqual(kept.map(({ id }) => id));
  expect(deleted).toBe(50 - kept.length);
  expect(most.ids).toBeLessThanOrEqual(5);
  await live.close();
});

test("a list goes on while others write: documents that nobody changes come exactly once", async () => {
  const index = await Sluice.open(newFolder(), { encoder: "none" });
  for (let i = 0; i < 3; i++) {
    await index.add(made(10, i, 10 * i));
    await index.commit();
  }
  const seen: string[] = [];
  const next = async (after?: string) => {
    const page = await index.list({ limit: 8, after, fields: [] });
    seen.push(...page.documents.map(({ id }) => id));
    return page.next;
  };
  const first = await next();
  await index.delete(["d7", "d9", "d12"]); // d7 was the last one of its page
  await index.upsert(made(1, 9, 3)); // was listed, and comes again
  await index.upsert(made(1, 9, 25)); // is listed at the end
  await index.optimize();
  const second = await next(first);
  await index.add(made(2, 9, 40));
  await index.commit();
  const third = await next(second);
  expect(await next(third)).toBeUndefined();
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `d${from + i}`);
  const untouched = [...ids(8, 9), ...ids(10, 12), ...ids(13, 25), ...ids(26, 30)];
  expect(seen).toEqual([...ids(0, 8), ...untouched, "d3", "d25", "d40", "d41"]);
  await index.close();
});

test("fields are chosen, and an id is never among them", async () => {
  const index: Sluice = await Sluice.build([{ id: "a", text: "lock", year: 1, kind: "k" }], {
    encoder: "none",
  });
  const list = async (fields: string[]) => (await index.list({ fields })).documents;
  expect(await list(["year", "no such", "id"])).toEqual([{ id: "a", document: { year: 1 } }]);
  expect(await list([])).toEqual([{ id: "a", document: {} }]);
  await index.close();
});

test("wrong values are refused, and delete nothing", async () => {
  const index = await Sluice.build([{ id: "a", text: "lock", year: 1 }], { encoder: "none" });
  const refused: [() => Promise<unknown>, string][] = [
    [() => index.list({ limit: -1 }), "limit must be a whole number"],
    [() => index.list({ after: "d7" }), "after must be the next of an earlier list"],
    [() => index.list({ fields: "year" as never }), "fields must be a list"],
    [() => index.list({ filters: {} } as never), 'did you mean "filter"?'],
    [() => index.list({ filter: { text: "lock" } }), '"text" is searched, not filtered'],
    [() => index.delete({ filter: undefined } as never), "filter is undefined"],
    [() => index.delete({} as never), "filter is undefined"],
    [
      () => index.delete({ filter: {}, ids: ["a"] } as never),
      'delete takes a list of ids, or { filter }, and no "ids" in this object; a list of ids goes alone: delete(["a"])',
    ],
    [() => index.delete({ filter: {}, withPassages: true } as never), "withPassages goes with ids: delete("],
    [() => index.delete({ filter: {}, signal: undefined } as never), "delete({ filter }, { signal })"],
    [() => index.delete({ filtr: {} } as never), 'and no "filtr" in this object'],
    [() => index.delete({ filter: { year: { lt: undefined } } } as never), "filter.year.lt is undefined"],
    [() => index.delete({ filter: {} }, { withPassages: true }), "withPassages goes with ids"],
    [() => index.delete("a"), "a list of ids"],
    [() => index.delete(7 as never), "ids must be a list of ids"],
  ];
  for (const [call, message] of refused) {
    const error = (await call().catch((thrown) => thrown)) as SluiceError;
    expect(error).toBeInstanceOf(SluiceError);
    expect(`${error.message} ${error.hint}`).toContain(message);
  }
  const signal = AbortSignal.abort(new Error("stopped"));
  await expect(index.delete({ filter: {} }, { signal })).rejects.toThrow("stopped");
  await expect(index.list({ signal })).rejects.toThrow("stopped");
  await index.commit();
  expect(index.docs).toBe(1);
  expect(await index.delete({ filter: {} })).toEqual({ deleted: 1 });
  await index.commit();
  expect(await index.list()).toEqual({ documents: [], total: 0 });
  await index.close();
});

test("passages are deleted by the id of their document", async () => {
  const index = await Sluice.build<Document>([], { encoder: "none" });
  const text = "# One\n\nlock\n\n# Two\n\nweir";
  await index.add(
    [
      { id: "a", text },
      { id: "b", text },
    ],
    { passages: { words: 1 } },
  );
  await index.commit();
  const { total } = await index.list({ filter: { "passage.of": "a" }, limit: 0 });
  expect(total).toBeGreaterThan(1);
  expect(await index.delete({ filter: { "passage.of": "a" } })).toEqual({ deleted: total });
  await index.close();
});

test("a field with a dot in its own name counts before one inside an object", async () => {
  const documents = [
    { id: "both", a: { b: "nested" }, "a.b": "dot" },
    { id: "inside", a: { b: "nested" } },
  ];
  await using index = await Sluice.build(documents, { encoder: "none" });
  const found = async (value: string) =>
    (await index.list({ filter: { "a.b": value } })).documents.map(({ id }) => id);
  expect([await found("dot"), await found("nested")]).toEqual([["both"], ["inside"]]);
});
