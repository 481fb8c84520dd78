// One handler for each route: a checked request → an answer. The types come from the table of routes, so the compiler
// checks what goes in and out.

import type { z } from "zod";
import type { Document, Progress, Sluice } from "../index.ts";
import type { Immutable } from "../schemas/immutable.ts";
import type { IndexAnswer, WriteAnswer } from "../schemas/index.ts";
import { HttpError } from "./http-errors.ts";
import type { Limits } from "./limits.ts";
import { answerExplain, answerExplainQuery, answerSearch, answerSearchAll } from "./questions.ts";
import type { Reports } from "./reports.ts";
import type { ROUTES, Route, RouteName } from "./routes.ts";
import type { writeParameters } from "./search-parameters.ts";
import type { Served, ServedIndexes } from "./served.ts";

type Inferred<S> = S extends z.ZodType ? z.infer<S> : undefined;
type Of<R extends Route, Key extends keyof Route> = R extends Record<Key, infer S> ? Inferred<S> : undefined;

/** A request whose parameters and body match the route's schemas. */
export interface Input<R extends Route = Route> {
  readonly params: Of<R, "params">;
  readonly query: Of<R, "query">;
  /** Undefined when the body is a stream. */
  readonly body: R extends { streams: true } ? undefined : Of<R, "body">;
  /** The documents of the body, as they arrive. */
  readonly documents: () => AsyncGenerator<Document>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export type Handler<R extends Route = Route> = (input: Input<R>) => Promise<Immutable<z.input<R["answer"]>>>;
type Handlers = { [Name in RouteName]: Handler<(typeof ROUTES)[Name]> };

/** The part of the input that all changes have. */
type Change = Pick<Input, "documents" | "signal" | "onProgress"> & {
  readonly params: { readonly name: string };
  readonly query: z.infer<typeof writeParameters>;
};

export function handlersOf(
  indexes: ServedIndexes,
  limits: Limits,
  reports: Reports,
  reranker?: string,
): Handlers {
  const write = (how: "add" | "upsert") => async (change: Change) => {
    indexes.getWritable(change.params.name); // refuses a read-only index before its body is read
    const { documents, close } = await waitForFirst(change.documents());
    try {
      return await makeChange(indexes, change, async (index) => ({
        added: await index[how](documents, { onProgress: change.onProgress }),
      }));
    } finally {
      await close();
    }
  };
  const remove = (change: Change, ids: readonly string[]) =>
    makeChange(indexes, change, async (index) => ({ deleted: await index.delete(ids) }));

  return {
    indexes: async () => ({ indexes: Array.from(indexes, summaryOf) }),
    index: async ({ params }) => infoOf(indexes.get(params.name)),
    fields: async ({ params }) => ({ fields: await indexes.get(params.name).index.fields() }),
    search: ({ params, body, signal }) =>
      answerSearch(indexes.get(params.name).index, body, limits, signal, reranker),
    searchByAddress: ({ params, query: { q, ...options }, signal }) =>
      answerSearch(indexes.get(params.name).index, { query: q, ...options }, limits, signal, reranker),
    searchAll: ({ params, body, signal }) =>
      answerSearchAll(indexes.get(params.name).index, body, limits, signal, reranker),
    explain: ({ params, body }) => answerExplain(indexes.get(params.name).index, body, limits),
    explainQuery: ({ params, body }) => answerExplainQuery(indexes.get(params.name).index, body, limits),
    document: async ({ params: { name, id } }) => ({ id, document: indexes.get(name).index.document(id) }),
    addDocuments: write("add"),
    upsertDocuments: write("upsert"),
    deleteDocuments: (input) => remove(input, input.body.ids),
    deleteDocument: (input) => remove(input, [input.params.id]),
    commit: ({ params, query, signal }) =>
      timed(indexes.getWritable(params.name), async ({ writes }) => {
        await writes.commit(query.transaction, signal);
        return { committed: true };
      }),
    rollback: ({ params, query, signal }) =>
      timed(indexes.getWritable(params.name), async ({ writes }) => {
        await writes.rollback(query.transaction, signal);
        return { committed: false };
      }),
    optimize: ({ params, signal, onProgress }) =>
      timed(indexes.getWritable(params.name), async ({ writes }) => {
        await writes.optimize(onProgress, signal);
        return { committed: true };
      }),
    server: async () => {
      const { rss, heapUsed } = process.memoryUsage();
      const memory = { residentBytes: rss, heapBytes: heapUsed };
      return { uptimeSeconds: process.uptime(), memory };
    },
    reports: async () => ({ reports: await reports.list() }),
    report: ({ params }) => reports.get(params.name),
    health: async () => ({ status: "ok" as const }),
    ready: async () => {
      const all = await Promise.all(
        Array.from(indexes, async (served) => [served.name, await isReady(served)]),
      );
      const isAll = all.every(([, ready]) => ready);
      return {
        status: isAll ? ("ready" as const) : ("unavailable" as const),
        indexes: Object.fromEntries(all.map(([name, ready]) => [name, { ready }])),
      };
    },
  };
}

/** Makes a change when it is its turn, and returns the answer. */
function makeChange(
  indexes: ServedIndexes,
  { params, query, signal, onProgress }: Change,
  work: (index: Sluice) => Promise<Pick<WriteAnswer, "added" | "deleted">>,
): Promise<WriteAnswer> {
  return timed(indexes.getWritable(params.name), async ({ index, writes }) => {
    const options = { ...query, signal, onProgress };
    const { result, transaction } = await writes.change(() => work(index), options);
    return { ...result, committed: transaction === undefined, ...(transaction && { transaction }) };
  });
}

/** Does the work and completes its answer: the documents that there are now, and how long it took. */
async function timed(
  served: Served,
  work: (served: Served) => Promise<Omit<WriteAnswer, "docs" | "totalMs">>,
): Promise<WriteAnswer> {
  const started = performance.now();
  const answer = await work(served);
  return { ...answer, docs: served.index.size, totalMs: performance.now() - started };
}

/**
 * Waits for the first document before the change takes its turn, so that a slow client does not hold up other changes.
 * A body without documents is refused: it is far more often a mistake than meant.
 */
async function waitForFirst(documents: AsyncGenerator<Document>) {
  const first = await documents.next();
  if (first.done) throw new HttpError(400, "invalid", "the body has no documents");
  const all = async function* () {
    yield first.value;
    yield* documents;
  };
  return { documents: all(), close: () => documents.return(undefined) };
}

function summaryOf({ name, index }: Served) {
  const { docs, semanticDims, lambda } = index.info();
  return { name, docs, writable: index.writable, semanticDims, lambda };
}

function infoOf({ name, index }: Served): IndexAnswer {
  return { name, ...index.info(), writable: index.writable, kernel: index.kernel };
}

/** False when the index was closed, or when its files are gone or damaged. */
async function isReady({ index }: Served): Promise<boolean> {
  try {
    await index.check();
    return true;
  } catch {
    return false;
  }
}
