// sluice experiment: your own collections → a table or figure of the paper, as Markdown, JSON and HTML.

import { readdir } from "node:fs/promises";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { indexedText } from "../../../documents/document.ts";
import type { Encoder } from "../../../encode/index.ts";
import { encodeWithCache } from "../../../encode/index.ts";
import { type Document, type Progress, SluiceError } from "../../../index.ts";
import {
  type Collection,
  EXPERIMENTS,
  plotSvg,
  type Run,
  readBeirCorpus,
  readBeirQrels,
  readBeirQueries,
  readRun,
  reportHtml,
  reportMarkdown,
  runExperiment,
} from "../../../lab/index.ts";
import { readVectors } from "../../../read/index.ts";
import type { TextQuery } from "../../../read/queries.ts";
import type { VectorsById } from "../../../read/weights/vector-files.ts";
import { writeText } from "../../../support/files/text-file.ts";
import { ENCODER_FLAGS, loadAnalyzerFromFlags, openEncoderFromFlags } from "../../flags/flags.ts";
import type { Arguments, Command, Terminal } from "../../terminal/command.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

/** The size of an .svg plot, in pixels. */
const PICTURE = { width: 760, height: 420 };

export const experimentCommand: Command = {
  name: "experiment",
  summary: "run an experiment of the paper on your own collections",
  operands: "NAME --beir FOLDER [--beir FOLDER ...] --out FOLDER",
  details: [
    ...EXPERIMENTS.map(
      ({ name, title, needsVectors }) => `  ${name.padEnd(16)} ${title}${needsVectors ? " *" : ""}`,
    ),
    "",
    "* needs vectors: give --encoder, or --vectors and --query-vectors. λ is tuned on the dev or train split of each",
    "collection, never on test. Prints the tables, and writes NAME.md, .json, .html and one .svg per plot into --out.",
  ].join("\n"),
  flags: {
    beir: { type: "string", value: "FOLDER", multiple: true, help: "a BEIR collection; may be repeated" },
    out: { type: "string", value: "FOLDER", help: "folder for the reports" },
    ...ENCODER_FLAGS,
    keep: {
      type: "string",
      value: "FOLDER",
      help: "store the encoder's output there, and reuse it next time",
    },
    vectors: { type: "string", value: "FILE", help: "vectors of the documents, for one collection" },
    "query-vectors": { type: "string", value: "FILE", help: "vectors of the queries, for one collection" },
    lambda: { type: "string", value: "X", help: "weight of the semantic part, instead of tuning it" },
    analyzer: { type: "string", value: "NAME", help: "wordpiece:FILE, as a second lexical weighting" },
    runs: { type: "string", value: "FOLDER", help: "beir: runs of other systems, as MODEL/COLLECTION.trec" },
    "exclude-self": { type: "boolean", help: "leave out documents with the query's id (ArguAna, Quora)" },
    query: { type: "string", value: "TEXT", help: "showcase: the query" },
    document: { type: "string", value: "ID", help: "showcase: the document" },
  },
  examples: [
    "sluice experiment slicing --beir collections/scifact --out reports",
    "sluice experiment fusion --beir collections/scifact --encoder models/minilm --keep vectors --out reports",
  ],

  async run(args, terminal) {
    const [name] = args.exactly("NAME");
    const [folders, out, lambda] = [args.texts("beir"), args.text("out"), args.number("lambda")];
    if (folders.length === 0) throw args.usageError("no collections; give --beir FOLDER");
    if (!out) throw args.usageError("no output folder; give --out FOLDER");
    const experiment = EXPERIMENTS.find((each) => each.name === name);
    if (!experiment) {
      throw args.usageError(
        `there is no experiment "${name}"; the experiments are ${EXPERIMENTS.map((each) => each.name).join(", ")}`,
      );
    }
    const encoder = await openEncoderFromFlags(args);
    const collections: Collection[] = [];
    for (const folder of folders) {
      collections.push(await readCollectionFolder(folder, experiment.needsVectors, encoder, args, terminal));
    }
    const log = terminal.isErrorTty ? (text: string) => terminal.err(`\r${text}\u001b[K`) : undefined;
    const [query, document, runs] = [args.text("query"), args.text("document"), args.text("runs")];
    if (name !== "beir") args.refuseFlags(["runs"], "with this experiment");
    if (name !== "showcase") args.refuseFlags(["query", "document"], "with this experiment");
    const report = await runExperiment(
      name,
      collections,
      {
        ...(lambda !== undefined && { lambda }),
        ...(args.text("analyzer") && { wordPieces: await loadAnalyzerFromFlags(args) }),
        ...(encoder && { encode: (texts) => encoder.encode(texts, "query") }),
        ...(runs !== undefined && { runs: await readRunsOfFolder(runs) }),
        ...(query !== undefined && { query }),
        ...(document !== undefined && { document }),
        ...(log && { log }),
      },
      madeBy(name, args),
    );
    if (log) terminal.err("\r\u001b[K");
    const markdown = reportMarkdown(report);
    await writeText(join(out, `${name}.md`), markdown);
    await writeText(join(out, `${name}.json`), `${JSON.stringify(report, null, 1)}\n`);
    await writeText(join(out, `${name}.html`), await reportHtml(report));
    for (const [i, plot] of report.plots.entries()) {
      await writeText(join(out, `${name}-${i + 1}.svg`), await plotSvg(plot, PICTURE));
    }
    terminal.out(`${markdown}\n${join(out, name)}.md, .json, .html\n`);
  },
};

/** The command, date and machine for the report. Files are named without their folders. */
function madeBy(name: string, args: Arguments) {
  const all = cpus();
  const flags = [
    "encoder",
    "description",
    "vectors",
    "query-vectors",
    "lambda",
    "analyzer",
    "query",
    "document",
    "runs",
  ];
  const given = flags.flatMap((flag) => {
    const value = args.text(flag);
    return value === undefined ? [] : [`--${flag} ${basename(value)}`];
  });
  const folders = args.texts("beir").map((folder) => `--beir ${basename(folder)}`);
  return {
    command: ["sluice experiment", name, ...folders, ...given].join(" "),
    date: new Date().toISOString().slice(0, 10),
    machine: `Node ${process.version}, ${all.length} × ${all[0]?.model ?? "unknown"}`,
  };
}

async function readCollectionFolder(
  folder: string,
  needsVectors: boolean,
  encoder: Encoder | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<Collection> {
  const documents: Document[] = [];
  for await (const document of readBeirCorpus(folder)) documents.push(document);
  const qrels = await readBeirQrels(folder, "test");
  const queries = await readBeirQueries(folder, qrels);
  const training = await readTrainingQueries(folder);
  const plain = {
    name: basename(folder),
    documents,
    queries,
    qrels,
    ...(training && { training }),
    ...(args.is("exclude-self") && { excludeSelf: true }),
  };
  if (!needsVectors) return plain;
  const asked = [...queries, ...(training?.queries ?? [])];
  const vectors = await readOrEncodeVectors(plain.name, documents, asked, encoder, args, terminal);
  return vectors ? { ...plain, vectors } : plain;
}

/** The queries to tune λ on: the dev split, or train if there is no dev. */
async function readTrainingQueries(folder: string) {
  const splits = await readdir(join(folder, "qrels"));
  const split = ["dev", "train"].find((name) => splits.includes(`${name}.tsv`));
  if (!split) return undefined;
  const qrels = await readBeirQrels(folder, split);
  return { qrels, queries: await readBeirQueries(folder, qrels) };
}

/** Reads the runs of other systems: MODEL/COLLECTION.trec. */
async function readRunsOfFolder(folder: string) {
  const models: { model: string; runs: Map<string, Run> }[] = [];
  for (const { name: model } of (await readdir(folder, { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  )) {
    const files = (await readdir(join(folder, model))).filter((name) => name.endsWith(".trec"));
    const runs = new Map<string, Run>();
    for (const file of files) runs.set(basename(file, ".trec"), await readRun(join(folder, model, file)));
    models.push({ model, runs });
  }
  return models;
}

async function readOrEncodeVectors(
  name: string,
  documents: readonly Document[],
  queries: readonly TextQuery[],
  encoder: Encoder | undefined,
  args: Arguments,
  terminal: Terminal,
): Promise<Collection["vectors"]> {
  const [file, queryFile] = [args.text("vectors"), args.text("query-vectors")];
  if ((file === undefined) !== (queryFile === undefined)) {
    throw args.usageError("--vectors and --query-vectors go together");
  }
  if (file && encoder) throw args.usageError("--encoder and --vectors exclude each other");
  if (file && args.texts("beir").length > 1) {
    throw args.usageError("--vectors belong to one collection; give one --beir");
  }
  if (encoder && !encoder.gives.vector) {
    throw new SluiceError(
      `${encoder.path}: this encoder gives weights of terms; experiments need vectors, or the runs of such an encoder`,
      "make runs with sluice index --encoder and sluice run, then: sluice experiment beir --runs FOLDER",
    );
  }
  if (file && queryFile) return { documents: await readVectors(file), queries: await readVectors(queryFile) };
  if (!encoder) return undefined;
  const progress = new ProgressLine(terminal);
  const keep = args.text("keep");
  const encode = async (
    texts: readonly { id: string; text: string }[],
    role: "query" | "passage",
  ): Promise<VectorsById> => {
    const options = {
      onProgress: ({ done, total }: Progress) => progress.update(`${name}: encoding`, done, total),
    };
    const encodings = keep
      ? (
          await encodeWithCache(
            encoder,
            texts,
            role,
            join(keep, name),
            role === "query" ? "queries" : "documents",
            options,
          )
        ).encodings
      : await encoder.encode(
          texts.map(({ text }) => text),
          role,
          options,
        );
    return new Map(texts.map(({ id }, i) => [id, encodings[i].vector!]));
  };
  const texts = documents.map((document) => ({ id: document.id, text: indexedText(document, document.id) }));
  const vectors = { documents: await encode(texts, "passage"), queries: await encode(queries, "query") };
  progress.clear();
  return vectors;
}
