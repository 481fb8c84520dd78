// One handler for each route: a checked request → an answer. The types come from the table of routes, so the compiler
// checks what goes in and out.

import type { z } from "zod";
import type { AddOptions, Document, Progress, Sluice } from "../index.ts";
import type { IndexAnswer, WriteAnswer } from "../schemas/index.ts";
import type { deleteRequestSchema } from "../schemas/requests/delete-request.ts";
import type { readyAnswerSchema } from "../schemas/server-schema.ts";
import type { Immutable } from "../schemas/shared/immutable.ts";
import { readFirst } from "../support/work/read-first.ts";
import type { Caller } from "./access/keys.ts";
import {
  answerExplain,
  answerExplainQuery,
  answerList,
  answerPassages,
  answerSearch,
  answerSearchAll,
  answerSuggest,
} from "./indexes/answer-queries.ts";
import { downloadBackup } from "./indexes/backups.ts";
import { listReadableFormats } from "./indexes/readable-formats.ts";
import type { ServedIndex, ServedIndexes } from "./indexes/served.ts";
import { Upload } from "./indexes/uploads.ts";
import type { Reports } from "./page/reports.ts";
import type { ROUTES, Route, RouteName } from "./routes/routes.ts";
import type { writeParameters } from "./routes/url-parameters.ts";
import { HttpError } from "./wire/http-errors.ts";
import type { Limits } from "./wire/limits.ts";
import type { Download } from "./wire/responses.ts";
import type { SpooledFile } from "./wire/spooled-body.ts";

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
  /** The body as a file, when all of it has arrived. */
  readonly file: (name?: string) => Promise<SpooledFile>;
  /** Who asks. Lists show what the key is for. */
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Aborts the signal. The request is answered with the reason. */
  readonly stop: (reason: HttpError) => void;
  readonly onProgress: (progress: Progress) => void;
}

/** What a handler returns: what the schema of the answer takes, or a file. */
type Returned<R extends Route> = R extends { readonly answer: infer S extends z.ZodType }
  ? Immutable<z.input<S>>
  : Download;

export type Handler<R extends Route = Route> = (input: Input<R>) => Promise<Returned<R>>;

/** The routes with a key, limits and a log. The others, which are open, are answered by the app itself. */
export type EndpointName = {
  [Name in RouteName]: (typeof ROUTES)[Name]["access"] extends "open" ? never : Name;
}[RouteName];
type Handlers = { [Name in EndpointName]: Handler<(typeof ROUTES)[Name]> };

/** The part of the input that all requests to an index have. */
type OnIndex = Pick<Input, "stop"> & { readonly params: { readonly name: string } };

/** The part of the input that all changes have. */
type Change = Pick<Input, "signal" | "onProgress"> & { readonly query: z.infer<typeof writeParameters> };

/** The part of the input that changes with documents have. */
type BringsDocuments = OnIndex & Pick<Input, "documents"> & { readonly query: Pick<AddOptions, "passages"> };

/** What a request deletes: ids, or a filter. */
type Removed = z.infer<typeof deleteRequestSchema>;

export function handlersOf(
  indexes: ServedIndexes,
  limits: Limits,
  reports: Reports,
  rerankModel?: string,
): Handlers {
  /** Work with an index, which stays open meanwhile. */
  const reading =
    <I extends OnIndex, T>(work: (index: Sluice, input: I) => Promise<T>) =>
    (input: I): Promise<T> => {
      const served = indexes.get(input.params.name);
      return served.read(input.stop, () => work(served.index, input));
    };
  /** Work that changes an index, which stays open meanwhile. A read-only index is refused before a body is read. */
  const changing =
    <I extends OnIndex, T>(work: (served: ServedIndex, input: I) => Promise<T>) =>
    (input: I): Promise<T> => {
      const served = indexes.getWritable(input.params.name);
      return served.use(input.stop, () => work(served, input));
    };
  const write = (how: "add" | "upsert") =>
    changing(async (served, change: Change & BringsDocuments) => {
      const { onProgress, signal } = change;
      const { passages, ...query } = change.query;
      // Waits for a document before the change takes its turn, so that a slow client does not hold up other changes.
      const { first, all, close } = await readFirst(change.documents());
      // A body without documents is refused: it is far more often a mistake than meant.
      if (!first) throw new HttpError(400, "invalid", "the body has no documents");
      try {
        return await makeChange(served, { ...change, query }, (index) =>
          index[how](all, { onProgress, signal, ...(passages && { passages }) }),
        );
      } finally {
        close();
      }
    });
  const remove = (served: ServedIndex, change: Change, { ids, filter, withPassages = false }: Removed) =>
    makeChange(served, change, (index) =>
      filter
        ? index.delete({ filter }, { signal: change.signal })
        : index.delete(ids ?? [], { withPassages, signal: change.signal }),
    );

  return {
    indexes: async ({ caller }) => ({
      indexes: Array.from(indexes)
        .filter(({ name }) => caller.sees(name))
        .map(summaryOf),
      unavailable: indexes.unavailable.filter((name) => caller.sees(name)),
      canCreate: indexes.canCreate && caller.access === "admin",
      access: caller.access,
    }),
    index: async ({ params }) => indexAnswerOf(indexes.get(params.name)),
    createIndex: async ({ params, body }) => indexAnswerOf(await indexes.create(params.name, body)),
    changeSettings: changing(async (served, { body: { lambda }, signal }) => {
      const work = async () => lambda !== undefined && served.index.setLambda(lambda);
      await served.queue.change(work, { commit: true, signal });
      return indexAnswerOf(served);
    }),
    dropIndex: async ({ params: { name } }) => {
      await indexes.drop(name);
      return { name, dropped: true as const };
    },
    fields: reading(async (index) => ({ fields: await index.fields() })),
    search: reading((index, { body, signal }) => answerSearch(index, body, limits, signal, rerankModel)),
    searchByUrl: reading((index, { query, signal }) =>
      answerSearch(index, query, limits, signal, rerankModel),
    ),
    searchAll: reading((index, { body, signal }) =>
      answerSearchAll(index, body, limits, signal, rerankModel),
    ),
    suggest: reading((index, { body, signal }) => answerSuggest(index, body, limits, signal)),
    suggestByUrl: reading((index, { query, signal }) => answerSuggest(index, query, limits, signal)),
    explain: reading((index, { body, signal }) => answerExplain(index, body, limits, signal)),
    explainQuery: reading((index, { body, signal }) => answerExplainQuery(index, body, limits, signal)),
    document: reading(async (index, { params: { id } }) => ({ id, document: await index.document(id) })),
    passages: reading((index, { params: { id }, signal }) => answerPassages(index, id, limits, signal)),
    list: reading((index, { body, signal }) => answerList(index, body, limits, signal)),
    listByUrl: reading((index, { query, signal }) => answerList(index, query, limits, signal)),
    addDocuments: write("add"),
    upsertDocuments: write("upsert"),
    uploadFile: changing(async (served, { query, signal, onProgress, ...input }) => {
      const { commit, transaction, upsert, file: name, ...options } = query;
      const file = await input.file(name);
      try {
        const upload = new Upload(file, options, limits);
        const report = (progress: Progress) => onProgress(upload.estimated(progress));
        const change = { query: { commit, transaction }, signal, onProgress: report };
        return await makeChange(served, change, async (index) => {
          const adding = { onProgress: report, signal, passages: upload.passages };
          const changed: Changed = await index[upsert ? "upsert" : "add"](
            upload.readDocuments(signal),
            adding,
          );
          upload.requireChange(changed.deleted ?? 0, upsert);
          return changed;
        });
      } finally {
        await file.remove();
      }
    }),
    deleteDocuments: changing((served, input) => remove(served, input, input.body)),
    deleteDocument: changing((served, input) => remove(served, input, { ids: [input.params.id] })),
    deletePassages: changing((served, input) =>
      remove(served, input, { ids: [input.params.id], withPassages: true }),
    ),
    commit: changing((served, { query, signal }) =>
      runTimed(served, async ({ queue }) => {
        await queue.commit(query.transaction, signal);
        return { committed: true };
      }),
    ),
    rollback: changing((served, { query, signal }) =>
      runTimed(served, async ({ queue }) => {
        await queue.rollback(query.transaction, signal);
        return { committed: false };
      }),
    ),
    optimize: changing((served, { signal, onProgress }) =>
      runTimed(served, async ({ queue }) => {
        await queue.optimize(onProgress, signal);
        return { committed: true };
      }),
    ),
    backup: reading((index, { params: { name } }) => downloadBackup(name, index)),
    server: async ({ caller }) => {
      const { rss, heapUsed } = process.memoryUsage();
      const memory = { residentBytes: rss, heapBytes: heapUsed };
      const hasReports = reports.hasFolder && caller.seesAll;
      return { uptimeSeconds: process.uptime(), memory, formats: await listReadableFormats(), hasReports };
    },
    // A report may be about any index.
    reports: async ({ caller }) => ({ reports: caller.seesAll ? await reports.list() : [] }),
    report: async ({ params, caller }) => {
      if (!caller.seesAll)
        throw new HttpError(403, "wrong_index", "the key is for some indexes, not for reports", {
          hint: "send a key for all indexes",
        });
      return reports.get(params.name);
    },
  };
}

/** Checks all indexes. The answer names those that the caller sees. */
export async function checkReadiness(
  indexes: ServedIndexes,
  caller: Caller,
): Promise<Immutable<z.input<typeof readyAnswerSchema>>> {
  const opened = await Promise.all(
    Array.from(indexes, async (served) => [served.name, await isReady(served)] as const),
  );
  const all = [...opened, ...indexes.unavailable.map((name) => [name, false] as const)];
  const isAll = all.every(([, ready]) => ready);
  return {
    status: isAll ? "ready" : "unavailable",
    indexes: Object.fromEntries(
      all.filter(([name]) => caller.sees(name)).map(([name, ready]) => [name, { ready }]),
    ),
  };
}

/** What a change did. */
type Changed = Pick<WriteAnswer, "added" | "replaced" | "deleted">;

/** Makes a change when it is its turn, and returns the answer. */
function makeChange(
  served: ServedIndex,
  { query, signal, onProgress }: Change,
  work: (index: Sluice) => Promise<Changed>,
): Promise<WriteAnswer> {
  return runTimed(served, async ({ index, queue }) => {
    const { result, transaction } = await queue.change(() => work(index), { ...query, signal, onProgress });
    return {
      ...result,
      committed: transaction === undefined,
      ...(transaction && { transaction }),
    };
  });
}

/** Does the work and completes its answer: the documents that there are now, and how long it took. */
async function runTimed(
  served: ServedIndex,
  work: (served: ServedIndex) => Promise<Omit<WriteAnswer, "docs" | "totalMs">>,
): Promise<WriteAnswer> {
  const started = performance.now();
  const answer = await work(served);
  return { ...answer, docs: served.index.docs, totalMs: performance.now() - started };
}

function summaryOf({ name, index }: ServedIndex) {
  const { docs, semanticDims, lambda } = index.info();
  return { name, docs, writable: index.writable, semanticDims, lambda };
}

function indexAnswerOf({ name, index }: ServedIndex): IndexAnswer {
  return { name, ...index.info(), writable: index.writable, kernel: index.kernel };
}

/** False when the index was closed, when its files are gone, or when a check or an earlier request found damage. */
async function isReady({ index, isDamaged }: ServedIndex): Promise<boolean> {
  if (isDamaged) return false;
  try {
    await index.checkFiles();
    return true;
  } catch {
    return false;
  }
}
