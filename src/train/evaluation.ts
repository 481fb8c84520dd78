// How well the model finds documents now: a collection is encoded, indexed and asked with the parameters of the moment.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, textOf } from "../document.ts";
import type { Role } from "../encode/description.ts";
import type { TextTokenizer } from "../encode/tokenizer.ts";
import { readBeirCorpus, readBeirQrels, readBeirQueries } from "../eval/beir.ts";
import { evaluate } from "../eval/evaluate.ts";
import type { Run } from "../eval/judgements.ts";
import { metricNamed } from "../eval/metrics.ts";
import type { Query } from "../query.ts";
import { Sluice } from "../sluice.ts";
import type { TrainConfig } from "./config.ts";
import { TokenLists } from "./data/token-lists.ts";
import type { Trainer } from "./trainer.ts";

export type EvaluationSettings = NonNullable<TrainConfig["evaluation"]>;

export interface EvaluatedModel {
  readonly trainer: Pick<Trainer, "encode">;
  readonly tokenizer: TextTokenizer;
  readonly maxLength: Readonly<Record<Role, number>>;
  /** The tokens of all ids that the model knows. */
  readonly vocabulary: readonly string[];
}

/** Texts that are encoded together. */
const WINDOW = 64;
/** Hits that a metric may look at. */
const DEPTH = 1000;
/** Words that weigh less add nothing that a ranking shows, and there are thousands of them. */
const LEAST = 1e-4;

/** Reads what is judged, so that a mistake is found before the training; the answer evaluates. */
export async function openEvaluation(
  { beir, split, metric, dims }: EvaluationSettings,
  model: EvaluatedModel,
): Promise<() => Promise<number>> {
  metricNamed(metric);
  const qrels = await readBeirQrels(beir, split);
  const queries = await readBeirQueries(beir, qrels);
  const documents: Document[] = [];
  for await (const document of readBeirCorpus(beir)) documents.push(document);

  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-evaluation-"));
    const index = await Sluice.open(join(folder, "index"), {
      lexical: "weights",
      vocabulary: model.vocabulary,
      slicing: "stride",
      dims,
    });
    try {
      await index.add(encoded(documents, model));
      await index.commit();
      const run: Run = new Map();
      for (let start = 0; start < queries.length; start += WINDOW) {
        const asked = queries.slice(start, start + WINDOW);
        const said = await say(
          model,
          asked.map(({ text }) => text),
          "query",
        );
        const answers = await index.searchAll(said, { k: DEPTH });
        asked.forEach(({ id }, i) => {
          run.set(
            id,
            answers[i].hits.map((hit) => ({ id: hit.id, score: hit.score })),
          );
        });
      }
      return evaluate(run, qrels, [metric]).means.get(metric)!;
    } finally {
      await index.close();
      await rm(folder, { recursive: true, force: true });
    }
  };
}

async function* encoded(documents: readonly Document[], model: EvaluatedModel): AsyncGenerator<Document> {
  for (let start = 0; start < documents.length; start += WINDOW) {
    const window = documents.slice(start, start + WINDOW);
    const said = await say(
      model,
      window.map((document) => textOf(document, document.id)),
      "passage",
    );
    for (const [i, { id }] of window.entries()) yield { id, ...said[i] };
  }
}

async function say(
  { trainer, tokenizer, maxLength, vocabulary }: EvaluatedModel,
  texts: readonly string[],
  role: Role,
): Promise<Pick<Exclude<Query, string>, "weights" | "vector">[]> {
  const lists = new TokenLists(vocabulary.length);
  const numbers = texts.map((text) => lists.add(tokenizer.framed(tokenizer.bare(text), maxLength[role])));
  const { lexical, semantic } = await trainer.encode(lists.rows(numbers), role, LEAST);
  return texts.map((_, i) => {
    const bag = lexical?.[i];
    const weights = new Map(Array.from(bag?.ids ?? [], (id, at) => [vocabulary[id], bag!.weights[at]]));
    return { weights, ...(semantic && { vector: semantic[i] }) };
  });
}
