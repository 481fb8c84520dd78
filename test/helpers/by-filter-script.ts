// Random changes, lists and deletes by filter, on an index and on a plain definition of it: documents in a Map, in the order in
// which they were added. What the index says must be what the Map says, after every step.

import { expect } from "vitest";
import { accepts, checkFilter, type Filter } from "../../src/documents/filter.ts";
import { type Document, Sluice } from "../../src/index.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

interface Script {
  readonly seed: number;
  readonly steps: number;
  readonly filters: readonly Filter[];
  /** Documents with the ids d0, d1, … from a number on. */
  readonly made: (count: number, seed: number, first: number) => readonly Document[];
}

type Plain = ReadonlyMap<string, Document>;

/** Ids that are in use. Fewer: more documents are replaced. */
const IDS = 60;

/** Takes random steps. Returns how many documents the deletes by filter deleted. */
export async function runByFilter(index: Sluice, { seed, steps, filters, made }: Script): Promise<number> {
  const uniform = mulberry32(seed);
  const random = (below: number) => Math.floor(uniform() * below);
  let [committed, pending] = [new Map<string, Document>(), new Map<string, Document>()];
  let deletedInAll = 0;
  for (let step = 0; step < steps; step++) {
    const kind = random(10);
    if (kind < 4) {
      const documents = made(1 + random(12), seed * 1000 + step, random(IDS));
      await index.upsert(documents);
      for (const document of documents) {
        pending.delete(document.id); // a document that is replaced comes last
        pending.set(document.id, document);
      }
    } else if (kind === 4) {
      const ids = Array.from({ length: random(4) }, () => `d${random(IDS)}`);
      const expected = [...new Set(ids)].filter((id) => pending.delete(id)).length;
      expect(await index.delete(ids)).toEqual({ deleted: expected });
    } else if (kind < 7) {
      const filter = filters[random(filters.length)];
      const doomed = accepted(pending, filter).map(({ id }) => id);
      expect(await index.delete({ filter }), JSON.stringify(filter)).toEqual({ deleted: doomed.length });
      for (const id of doomed) pending.delete(id);
      deletedInAll += doomed.length;
    } else if (kind === 7) {
      await index.rollback();
      pending = new Map(committed);
    } else {
      await (kind === 8 ? index.commit() : index.optimize());
      committed = new Map(pending);
    }
    const filter = filters[random(filters.length)];
    await expectList(index, committed, filter, 1 + random(7));
  }
  await index.optimize();
  const fresh = await Sluice.build([...pending.values()], { encoder: "none" });
  expect(index.info().bm25).toEqual(fresh.info().bm25); // statistics forget what was deleted
  await fresh.close();
  return deletedInAll;
}

function accepted(documents: Plain, filter: Filter): Document[] {
  const condition = checkFilter(filter);
  return [...documents.values()].filter((document) => accepts(condition, document as never));
}

/** Walks over all pages, and compares them with the definition. */
async function expectList(index: Sluice, documents: Plain, filter: Filter, limit: number): Promise<void> {
  const expected = accepted(documents, filter).map(({ id, vector: _, ...document }) => ({ id, document }));
  const found: unknown[] = [];
  let after: string | undefined;
  do {
    const page = await index.list({ filter, limit, after });
    expect(page.total).toBe(expected.length);
    expect(page.documents.length).toBe(Math.min(limit, expected.length - found.length));
    found.push(...page.documents);
    after = page.next;
  } while (after !== undefined);
  expect(found).toEqual(expected);
  expect(await index.list({ filter, limit: 0 })).toMatchObject({ documents: [], total: expected.length });
}
