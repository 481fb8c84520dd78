// sluice search: a query → the best documents.

import { likeliestWord } from "../../../analyze/likeliest-word.ts";
import type { Answer, Hit, QueryTerm } from "../../../index.ts";
import { DEFAULT_MIX, DEFAULT_TOP, type RerankOptions } from "../../../search/options/rerank-options.ts";
import { DEFAULT_K } from "../../../search/options/search-options.ts";
import { readLines } from "../../../support/files/lines.ts";
import { ANSWER_FLAGS, answerOptionsFromFlags, countsText } from "../../flags/answer-flags.ts";
import { BOOST_FLAG, boostsFromFlags } from "../../flags/boost-flag.ts";
import { FIELD_WEIGHTS_FLAG, fieldWeightsFromFlags } from "../../flags/field-weights-flag.ts";
import { FILTER_FLAG, filterFromFlags } from "../../flags/filter-flag.ts";
import {
  ENCODER_FLAGS,
  JSON_FLAG,
  openFromFlags,
  PLAN_FLAGS,
  planFromFlags,
  readWordFlags,
  THREADS_AND_KERNEL_FLAGS,
  threadsAndKernelFromFlags,
  WORD_FLAGS,
} from "../../flags/flags.ts";
import { QUERY_FLAG, queryFromFlags } from "../../flags/query-flag.ts";
import type { Arguments, Command, Terminal } from "../../terminal/command.ts";
import {
  clip,
  countOf,
  listNames,
  milliseconds,
  type Paint,
  painter,
  printable,
} from "../../terminal/format.ts";
import { printNotices } from "../../terminal/print-notices.ts";
import { STDIN, sourceOf } from "../../terminal/stdin.ts";

export const searchCommand: Command = {
  name: "search",
  summary: "find the documents that answer a query",
  operands: "DIR (QUERY | - | --query JSON | --like ID)",
  details: [
    "With - the queries come from standard input, one per line, and are answered one after the other; --json prints one",
    "answer per line.",
    "",
    "Use auto or exact unless you measure plans: docs/guides/plans-and-exactness.md. The other plans have two stages: the",
    "first scores all documents roughly, and the second scores the best candidates exactly. pruned takes --theta or --mass,",
    "and quantized an index that was built with --quantize.",
  ].join("\n"),
  flags: {
    k: { type: "string", value: "N", default: String(DEFAULT_K), help: "number of hits; 0 for counts alone" },
    ...QUERY_FLAG,
    offset: { type: "string", value: "N", help: "skip the best N hits, for the next page; 0 by default" },
    ...FILTER_FLAG,
    ...BOOST_FLAG,
    ...FIELD_WEIGHTS_FLAG,
    ...PLAN_FLAGS,
    ...THREADS_AND_KERNEL_FLAGS,
    lambda: { type: "string", value: "X", help: "weight of the semantic part; the index's own by default" },
    "min-score": { type: "string", value: "X", help: "leave out hits with a lower score" },
    ...WORD_FLAGS,
    ...ENCODER_FLAGS,
    "rerank-model": {
      type: "string",
      value: "FOLDER",
      help: "reorder the best hits, by the cross-encoder in this folder",
    },
    "rerank-top": { type: "string", value: "N", help: `how many hits to reorder; ${DEFAULT_TOP} by default` },
    "rerank-mix": {
      type: "string",
      value: "X",
      help: `from 0, the order of the search, to 1, that of the cross-encoder; ${DEFAULT_MIX} by default`,
    },
    ...ANSWER_FLAGS,
    exclude: {
      type: "string",
      value: "ID",
      multiple: true,
      help: "id of a document that must not be a hit; may be repeated",
    },
    ...JSON_FLAG,
  },
  examples: [
    'sluice search my-index "where was the bauhaus built"',
    "sluice search my-index - --json < queries.txt > answers.jsonl",
    `sluice search my-index "where was the bauhaus built" --filter '{"year": {"gte": 1919, "lt": 1933}}' --offset 10`,
    'sluice search my-index "locks" --facets kind,year --sort year:desc --group-by author',
    "sluice search my-index --like canal-12",
    `sluice search my-index --query '{"text": "canal", "must": ["lock"], "mustNot": ["ship"]}'`,
    'sluice search my-index "where was the bauhaus built" --k 100 --theta 0.5 --candidates 1000 --json',
  ],

  async run(args, terminal) {
    const [folder, ...words] = args.operands;
    const given = queryFromFlags(args, args.text("like"));
    if (folder === undefined || (words.length === 0 && given === undefined))
      throw args.usageError("expected DIR and QUERY");
    if (words.length > 0 && given !== undefined)
      throw args.usageError(`expected QUERY or ${args.has("query") ? "--query" : "--like"}, not both`);
    const [lambda, offset] = [args.number("lambda"), args.whole("offset")];
    const minScore = args.number("min-score");
    const options = {
      k: args.whole("k")!,
      ...(minScore !== undefined && { minScore }),
      ...(offset !== undefined && { offset }),
      ...filterFromFlags(args),
      ...boostsFromFlags(args),
      ...fieldWeightsFromFlags(args),
      plan: planFromFlags(args),
      exclude: args.texts("exclude"),
      ...(lambda !== undefined && { lambda }),
      ...(await readWordFlags(args)),
      ...rerankFromFlags(args),
      ...answerOptionsFromFlags(args),
    };
    const index = await openFromFlags(folder, args, threadsAndKernelFromFlags(args));
    if (args.text("kernel") === "auto") terminal.err(`${index.kernel.name}: ${index.kernel.reason}\n`);
    const readsInput = words.length === 1 && words[0] === STDIN;
    const queries = readsInput ? readInputLines(terminal) : [given ?? words.join(" ")];
    const paint = painter(terminal);
    for await (const query of queries) {
      const answer = await index.search(query, options);
      printNotices(answer.notices, terminal);
      if (args.is("json")) {
        terminal.out(`${JSON.stringify({ query, ...answer })}\n`);
        continue;
      }
      if (typeof query === "string" && readsInput) terminal.out(`${paint("bold", printable(query))}\n`);
      for (const [i, hit] of answer.hits.entries())
        terminal.out(hitText(hit, (offset ?? 0) + i + 1, terminal.columns, paint));
      terminal.out(countsText(answer, paint));
      terminal.out(summary(answer, typeof query === "string" ? query : "", paint));
    }
  },
};

function rerankFromFlags(args: Arguments): { rerank?: RerankOptions } {
  const [model, top, mix] = [args.text("rerank-model"), args.count("rerank-top"), args.number("rerank-mix")];
  if (model === undefined) {
    args.refuseFlags(["rerank-top", "rerank-mix"], "without --rerank-model");
    return {};
  }
  return { rerank: { model, ...(top !== undefined && { top }), ...(mix !== undefined && { mix }) } };
}

async function* readInputLines(terminal: Terminal): AsyncGenerator<string> {
  for await (const { text } of readLines(sourceOf(STDIN, terminal))) yield text.trim();
}

function hitText(hit: Hit, rank: number, columns: number, paint: Paint): string {
  const { title, text, ...others } = hit.document as { title?: string; text?: string };
  const shown = hit.snippets?.filter(({ field }) => field !== "title").map(({ text }) => text) ?? [text];
  const added = [
    ...(hit.semantic === 0 ? [] : [hit.semantic]),
    ...(hit.boost === undefined ? [] : [hit.boost]),
  ].map((part) => ` ${part < 0 ? "−" : "+"} ${Math.abs(part).toFixed(3)}`);
  const parts = added.length === 0 ? "" : paint("dim", ` = ${hit.lexical.toFixed(3)}${added.join("")}`);
  const head = `${String(rank).padStart(3)}  ${paint("green", hit.score.toFixed(3))}${parts}  ${paint("bold", printable(hit.id))}`;
  const lines = [title, ...shown].filter((line): line is string => Boolean(line)).map(printable);
  const fields = Object.entries(others).filter(
    ([, value]) => value !== null && JSON.stringify(value) !== "{}",
  );
  const more = fields.map(
    ([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  const indented = (line: string) => `     ${clip(line, columns - 6)}`;
  const rest = more.length > 0 ? [paint("dim", indented(printable(more.join(", "))))] : [];
  return `${[head, ...lines.map(indented), ...rest].join("\n")}\n`;
}

function droppedText(share: number): string {
  return `rows hold ${(100 * (1 - share)).toFixed(1)} % of the documents' terms; sluice index --dims full keeps all`;
}

function summary({ hits, total = hits.length, terms, stats }: Answer, query: string, paint: Paint): string {
  const typed = ({ term }: QueryTerm) => printable(likeliestWord(query, term));
  const unknown = terms.filter(({ fate, alternatives }) => fate === "unknown" && !alternatives).map(typed);
  const outweighed = terms.filter(({ fate }) => fate === "outweighed").map(typed);
  const ms = milliseconds(stats.firstStageMs + stats.secondStageMs);
  const lines = [
    `${countOf(hits.length, "hit")} from ${countOf(stats.allowedCount, "document")}, ${stats.plan}${stats.kernel === "webgpu" ? " on the GPU" : ""}, ${ms}`,
    ...(stats.droppedShare > 0 ? [droppedText(stats.droppedShare)] : []),
    ...(stats.fallback ? [`answered on the CPU: ${stats.fallback}`] : []),
    ...(stats.rerank
      ? [`the best ${stats.rerank.hits} ordered by ${stats.rerank.model}, ${milliseconds(stats.rerank.ms)}`]
      : []),
    ...(stats.answeredBy === "nothing" && query.trim() === ""
      ? ["the query is empty, so there are no hits"]
      : []),
    ...(stats.answeredBy === "meaning"
      ? [
          total > 0
            ? "no document holds a word of the query; these hits are found by meaning only"
            : "no document holds a word of the query, and none is near to it in meaning",
        ]
      : []),
    ...(unknown.length > 0 ? [`in no document: ${listNames(unknown)}`] : []),
    ...(outweighed.length > 0
      ? [`dropped, because a heavier term of the query has their slot: ${listNames(outweighed)}`]
      : []),
    ...(stats.plan === "pruned" && stats.usedDims === 0 && stats.queryDims > 0
      ? ["no weight of the query is above theta, so the candidates are arbitrary; lower theta, or use --mass"]
      : []),
  ];
  return `${lines.map((line) => paint("dim", line)).join("\n")}\n`;
}
