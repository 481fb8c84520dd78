// Measures the quality of a model during training: encodes and indexes a collection with the current parameters, searches
// its queries and evaluates the run.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexedText } from "../../../documents/document.ts";
import { readBeirCorpus, readBeirQrels, readBeirQueries } from "../../eval/beir-files.ts";
import { evaluate } from "../../eval/evaluate.ts";
import type { Run } from "../../eval/judgments.ts";
import { metricNamed } from "../../eval/metrics.ts";
import type { TrainConfig } from "../run/config.ts";
import type { AnyEncoder } from "./any-encoder.ts";
import { withEncodedIndex } from "./encoded-index.ts";

/** Queries that are encoded and searched together. */
const BATCH_QUERIES = 64;
/** Hits per query. Metrics with a larger cutoff see no more. */
const DEPTH = 1000;

/** Reads the collection, so that errors are found before the training. Returns a function that evaluates the model with a λ. */
export async function openEvaluation(
  { beir, split, metric, dims }: NonNullable<TrainConfig["evaluation"]>,
  encoder: AnyEncoder,
  lambda: number,
): Promise<() => Promise<number>> {
  metricNamed(metric);
  const qrels = await readBeirQrels(beir, split);
  const queries = await readBeirQueries(beir, qrels);
  const [ids, texts]: [string[], string[]] = [[], []];
  for await (const document of readBeirCorpus(beir)) {
    ids.push(document.id);
    texts.push(indexedText(document, `document ${JSON.stringify(document.id)}`));
  }

  return async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-evaluation-"));
    try {
      const run = await withEncodedIndex(
        texts,
        { folder: join(folder, "index"), encoder, dims, lambda },
        async (encoded) => {
          const run: Run = new Map();
          for (let start = 0; start < queries.length; start += BATCH_QUERIES) {
            const asked = queries.slice(start, start + BATCH_QUERIES);
            const encodedQueries = await encoded.encodeQueries(asked.map(({ text }) => text));
            const answers = await encoded.index.searchAll(encodedQueries, {
              k: DEPTH,
              plan: { kind: "exact" },
            });
            for (const [i, { id }] of asked.entries()) {
              const hits = answers[i].hits.map((hit) => ({ id: ids[Number(hit.id)], score: hit.score }));
              run.set(id, hits);
            }
          }
          return run;
        },
      );
      return evaluate(run, qrels, [metric]).means.get(metric)!;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}
