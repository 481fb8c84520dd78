// sluice run: a file of queries → a run file for evaluation.

import { type Plan, type Query, Sluice } from "../../../index.ts";
import {
  percentiles,
  queryOf,
  RunWriter,
  readBeirQrels,
  readBeirQueries,
  readWeighted,
} from "../../../lab/index.ts";
import { readQueries, readVectors } from "../../../read/index.ts";
import type { TextQuery } from "../../../read/queries.ts";
import {
  ENCODER_FLAGS,
  JSON_FLAG,
  openFromFlags,
  PLAN_FLAGS,
  planFromFlags,
  THREADS_AND_KERNEL_FLAGS,
  threadsAndKernelFromFlags,
  WEIGHT_FLAGS,
  weightFormatFromFlags,
  withQueryVectors,
} from "../../flags/flags.ts";
import type { Arguments, Command, Terminal } from "../../terminal/command.ts";
import { formatCount, milliseconds } from "../../terminal/format.ts";
import { printNotices } from "../../terminal/print-notices.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";
import { STDIN, sourceOf } from "../../terminal/stdin.ts";

export const runCommand: Command = {
  name: "run",
  summary: "answer a file of queries and write a run for evaluation",
  operands: "DIR (--beir FOLDER [--split NAME] | --queries FILE) --out FILE",
  details: [
    "--queries takes lines of id TAB text, or JSON objects with an id and a text, one per line or in an array; - is",
    "standard input. With --weighted it takes weights: id TAB tokens, with each token repeated as often as its weight, or",
    '{"id", "vector"}. It also takes a file that sluice densify wrote.',
    "Equal scores are written with a tiny difference, because trec_eval sorts ties by id and would change the order.",
  ].join("\n"),
  flags: {
    beir: { type: "string", value: "FOLDER", help: "a BEIR collection: its queries with judgments" },
    split: {
      type: "string",
      value: "NAME",
      default: "test",
      help: "which judgments of the BEIR collection",
    },
    queries: { type: "string", value: "FILE", help: "your own queries; - is standard input" },
    "query-vectors": {
      type: "string",
      value: "FILE",
      help: "vectors of the queries, for an index without an encoder",
    },
    lambda: { type: "string", value: "X", help: "weight of the semantic part; the index's own by default" },
    ...ENCODER_FLAGS,
    weighted: { type: "boolean", help: "--queries holds weights, not text" },
    ...WEIGHT_FLAGS,
    out: { type: "string", value: "FILE", help: "the run file to write" },
    format: { type: "string", value: "NAME", default: "trec", help: "trec or msmarco" },
    depth: { option: "k", type: "string", value: "N", default: "1000", help: "hits per query" },
    ...PLAN_FLAGS,
    ...THREADS_AND_KERNEL_FLAGS,
    "exclude-self": {
      type: "boolean",
      help: "leave out the document with the query's id (ArguAna, Quora)",
    },
    ...JSON_FLAG,
  },
  examples: [
    "sluice run scifact --beir collections/scifact --split test --depth 1000 --out scifact.trec",
    "head -100 queries.tsv | sluice run my-index --queries - --out some.trec",
    "sluice run splade --queries topics.tsv.gz --weighted --theta 0.3 --out splade.trec",
  ],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const out = args.text("out");
    if (!out) throw args.usageError("no output file; give --out FILE");
    const format = args.oneOf("format", ["trec", "msmarco"]);
    const [plan, k, lambda] = [planFromFlags(args), args.count("depth")!, args.number("lambda")];
    const index = await openFromFlags(folder, args, threadsAndKernelFromFlags(args));
    const { queries, strangers } = await readRunQueries(args, index, terminal);
    const progress = new ProgressLine(terminal);
    const writer = new RunWriter(out, format);
    const tally = { hits: 0, without: 0, unselected: 0, unknown: 0, self: 0, strangers };
    const times: number[] = [];
    const told = new Set<string>();
    try {
      for (const [done, { id, query }] of queries.entries()) {
        const started = performance.now();
        const { hits, stats, terms, notices } = await index.search(query, {
          k,
          plan,
          ...(lambda !== undefined && { lambda }),
          ...(args.is("exclude-self") && { exclude: [id] }),
        });
        times.push(performance.now() - started);
        printNotices(
          notices?.filter(({ message }) => !told.has(message)),
          terminal,
        );
        for (const { message } of notices ?? []) told.add(message);
        await writer.add(id, hits);
        tally.hits += hits.length;
        if (hits.length === 0) tally.without++;
        if (plan.kind === "pruned" && stats.usedDims === 0 && stats.queryDims > 0) tally.unselected++;
        if (hits.some((hit) => hit.id === id)) tally.self++;
        tally.unknown += terms.filter(({ fate }) => fate === "unknown").length;
        progress.update("searching", done + 1, queries.length);
      }
      await writer.close();
    } catch (error) {
      await writer.abort();
      throw error;
    } finally {
      progress.clear();
    }
    const { p50, p99 } = percentiles(times);
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ out, queries: queries.length, ...tally, p50Ms: p50, p99Ms: p99 })}\n`
        : `${summary(out, queries.length, tally, p50, p99, plan)}\n`,
    );
  },
};

interface RunTally {
  readonly hits: number;
  readonly without: number;
  readonly unselected: number;
  readonly unknown: number;
  readonly self: number;
  /** Judged documents that are not in the index. */
  readonly strangers: number;
}

interface RunQueries {
  readonly queries: { id: string; query: Query }[];
  readonly strangers: number;
}

async function readRunQueries(args: Arguments, index: Sluice, terminal: Terminal): Promise<RunQueries> {
  const [beir, file] = [args.text("beir"), args.text("queries")];
  if ((beir === undefined) === (file === undefined)) {
    throw args.usageError("give either --beir FOLDER or --queries FILE");
  }
  if (file !== undefined)
    return { queries: await readQueriesOfFile(file, args, index, terminal), strangers: 0 };
  args.refuseFlags(["weighted", "weight-scale", "token-ids"], "with --beir");
  const qrels = await readBeirQrels(beir!, args.text("split"));
  const ids = new Set(await index.listIds());
  const judged = new Set([...qrels.values()].flatMap((grades) => [...grades.keys()]));
  const strangers = [...judged].filter((id) => !ids.has(id)).length;
  return { queries: await addVectors(await readBeirQueries(beir!, qrels), args, index, terminal), strangers };
}

async function readQueriesOfFile(
  file: string,
  args: Arguments,
  index: Sluice,
  terminal: Terminal,
): Promise<RunQueries["queries"]> {
  if (file !== STDIN && (await Sluice.exists(file))) {
    const densified = args.closeAtEnd(await Sluice.open(file, { readOnly: true }));
    return (await densified.listIds()).map((id) => ({ id, query: queryOf(densified, id) }));
  }
  if (args.is("weighted")) {
    if (file === STDIN) throw args.usageError("--weighted takes a file, not standard input");
    const { analyzer } = index.info();
    const format = weightFormatFromFlags(
      args,
      analyzer === "wordpiece" ? index.slicing.vocabulary.terms : undefined,
    );
    const queries: RunQueries["queries"] = [];
    for await (const { id, weights } of readWeighted(file, format)) queries.push({ id, query: { weights } });
    return queries;
  }
  args.refuseFlags(["weight-scale", "token-ids"], "without --weighted");
  const texts: TextQuery[] = [];
  for await (const query of readQueries(sourceOf(file, terminal))) texts.push(query);
  return addVectors(texts, args, index, terminal);
}

/** Adds vectors to the texts: from a file, or from the index's encoder, all at once. */
async function addVectors(queries: readonly TextQuery[], args: Arguments, index: Sluice, terminal: Terminal) {
  const file = args.text("query-vectors");
  if (file) return withQueryVectors(queries, await readVectors(file), file);
  if (args.number("lambda") === 0) return queries.map(({ id, text }) => ({ id, query: text }));
  const progress = new ProgressLine(terminal);
  const asked = await index.encodeQueries(
    queries.map(({ text }) => text),
    { onProgress: ({ done, total }) => progress.update("encoding queries", done, total) },
  );
  progress.clear();
  return queries.map(({ id }, i) => ({ id, query: asked[i] }));
}

function summary(
  out: string,
  queries: number,
  tally: RunTally,
  p50: number,
  p99: number,
  plan: Plan,
): string {
  const notes = [
    tally.without > 0 ? `${formatCount(tally.without)} queries found nothing` : "",
    tally.unknown > 0 ? `${formatCount(tally.unknown)} query terms are in no document` : "",
    tally.strangers > 0 ? `${formatCount(tally.strangers)} judged documents are not in the index` : "",
    tally.self > 0
      ? `${formatCount(tally.self)} queries found a document with their own id; --exclude-self leaves it out`
      : "",
    tally.unselected > 0
      ? `${formatCount(tally.unselected)} queries have no weight above theta, so their candidates are arbitrary`
      : "",
  ].filter((note) => note !== "");
  return [
    `${out}: ${formatCount(tally.hits)} hits for ${formatCount(queries)} queries, ${plan.kind}, ` +
      `${milliseconds(p50)} per query (p99 ${milliseconds(p99)})`,
    ...notes,
  ].join("\n");
}
