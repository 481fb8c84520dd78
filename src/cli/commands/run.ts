// sluice run: many queries → a run file.

import {
  type Plan,
  type Query,
  RunWriter,
  readBeirQrels,
  readBeirQueries,
  readEmbeddings,
  readQueries,
  readWeighted,
  Sluice,
  type TextQuery,
} from "../../index.ts";
import type { Arguments, Command } from "../command.ts";
import { JSON_FLAG, PLAN_FLAGS, planOf, WEIGHT_FLAGS, weightFormat, withQueryVectors } from "../flags.ts";
import { milliseconds, withCommas } from "../format.ts";
import { ProgressLine } from "../progress.ts";

export const runCommand: Command = {
  name: "run",
  summary: "answer a file of queries and write a run for evaluation",
  operands: "DIR (--beir FOLDER [--split NAME] | --queries FILE) --out FILE",
  details: [
    "--queries takes id TAB text, JSON objects with an id and a text, or, with --weighted, weights: id TAB tokens with",
    'a token repeated as often as its weight, or {"id", "vector"}; or a file that sluice densify wrote.',
    "Equal scores are written a hair apart, so that trec_eval, which sorts ties by id, keeps the order.",
  ].join("\n"),
  flags: {
    beir: { type: "string", value: "FOLDER", help: "a BEIR collection: its queries with judgements" },
    split: {
      type: "string",
      value: "NAME",
      default: "test",
      help: "which judgements of the BEIR collection",
    },
    queries: { type: "string", value: "FILE", help: "queries of your own" },
    "query-vectors": {
      type: "string",
      value: "FILE",
      help: "embeddings of the queries, where the index has no encoder",
    },
    lambda: { type: "string", value: "X", help: "weight of the semantic part (the index's own)" },
    weighted: { type: "boolean", help: "--queries holds weights, not text" },
    ...WEIGHT_FLAGS,
    out: { type: "string", value: "FILE", help: "the run" },
    format: { type: "string", value: "NAME", default: "trec", help: "trec or msmarco" },
    k: { type: "string", value: "N", default: "1000", help: "hits per query" },
    ...PLAN_FLAGS,
    "exclude-self": {
      type: "boolean",
      help: "leave out the document whose id is the query's (ArguAna, Quora)",
    },
    ...JSON_FLAG,
  },
  examples: [
    "sluice run scifact --beir collections/scifact --split test --k 1000 --out scifact.trec",
    "sluice run splade --queries topics.tsv.gz --weighted --theta 0.3 --out splade.trec",
  ],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const out = args.text("out");
    if (!out) throw args.misuse("no place for the run; give --out FILE");
    const format = args.oneOf("format", ["trec", "msmarco"]);
    const [plan, k, lambda] = [planOf(args), args.number("k")!, args.number("lambda")];
    const index = await Sluice.open(folder);
    const queries = await queriesOf(args, index);
    const progress = new ProgressLine(terminal);
    const writer = new RunWriter(out, format);
    const [times, tally] = [[] as number[], { hits: 0, without: 0, unselected: 0, unknown: 0 }];
    for (const [done, { id, query }] of queries.entries()) {
      const started = performance.now();
      const answer = await index.search(query, {
        k,
        plan,
        ...(lambda !== undefined && { lambda }),
        ...(args.is("exclude-self") && { exclude: [id] }),
      });
      times.push(performance.now() - started);
      await writer.add(id, answer.hits);
      tally.hits += answer.hits.length;
      if (answer.hits.length === 0) tally.without++;
      if (plan.kind === "pruned" && answer.stats.usedDims === 0 && answer.stats.queryDims > 0)
        tally.unselected++;
      tally.unknown += answer.terms.filter(({ fate }) => fate === "unknown").length;
      progress.update("searching", done + 1, queries.length);
    }
    await writer.close();
    progress.clear();
    times.sort((a, b) => a - b);
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ out, queries: queries.length, ...tally, p50Ms: p50, p99Ms: p99 })}\n`
        : `${summary(out, queries.length, tally, p50, p99, plan)}\n`,
    );
  },
};

async function queriesOf(args: Arguments, index: Sluice): Promise<{ id: string; query: Query }[]> {
  const [beir, file] = [args.text("beir"), args.text("queries")];
  if ((beir === undefined) === (file === undefined))
    throw args.misuse("give either --beir FOLDER or --queries FILE");
  if (beir)
    return encoded(await readBeirQueries(beir, await readBeirQrels(beir, args.text("split"))), args, index);
  if (file?.endsWith(".sluice")) {
    const densified = await Sluice.open(file);
    return densified.ids.map((id) => ({ id, query: densified.queryOf(id) }));
  }
  const queries: { id: string; query: Query }[] = [];
  if (args.is("weighted")) {
    const format = weightFormat(args, index.slicing.vocabulary.terms);
    for await (const { id, weights } of readWeighted(file!, format)) queries.push({ id, query: { weights } });
    return queries;
  }
  const texts: TextQuery[] = [];
  for await (const query of readQueries(file!)) texts.push(query);
  return encoded(texts, args, index);
}

/** Texts with their vectors: from a file, or from the index's model, all at once. */
async function encoded(queries: readonly TextQuery[], args: Arguments, index: Sluice) {
  const file = args.text("query-vectors");
  if (file) return withQueryVectors(queries, await readEmbeddings(file), file);
  if (args.number("lambda") === 0) return queries.map(({ id, text }) => ({ id, query: text }));
  const asked = await index.encodeQueries(queries.map(({ text }) => text));
  return queries.map(({ id }, i) => ({ id, query: asked[i] }));
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function summary(
  out: string,
  queries: number,
  tally: { hits: number; without: number; unselected: number; unknown: number },
  p50: number,
  p99: number,
  plan: Plan,
): string {
  const notes = [
    tally.without > 0 ? `${withCommas(tally.without)} queries found nothing` : "",
    tally.unknown > 0 ? `${withCommas(tally.unknown)} query terms are in no document` : "",
    tally.unselected > 0
      ? `${withCommas(tally.unselected)} queries have no weight above theta, so that their candidates are arbitrary`
      : "",
  ].filter((note) => note !== "");
  return [
    `${out}: ${withCommas(tally.hits)} hits for ${withCommas(queries)} queries, ${plan.kind}, ` +
      `${milliseconds(p50)} per query (p99 ${milliseconds(p99)})`,
    ...notes,
  ].join("\n");
}
