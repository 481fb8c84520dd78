// Measures the analyzers of languages: nDCG@10 beside Lucene's, on questions about passages of Wikipedia.

import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import type { AnalyzerName } from "../src/analyze/index.ts";
import { Sluice } from "../src/index.ts";
import { evaluate, formatTable, readBeirQrels } from "../src/lab/index.ts";
import { type Bench, dataPath } from "./support/bench.ts";
import { printProgress } from "./support/progress.ts";

/** Lucene's figures: its StandardAnalyzer, its analyzer of the language, and its pairs of characters. */
interface LanguageSet {
  readonly analyzer: AnalyzerName;
  readonly standard?: number;
  readonly own?: number;
  readonly pairs?: number;
}

/** Lucene 9.12.1 on the same files, BM25 with k1 0.9 and b 0.4. Nobody scored Vietnamese. */
const SETS: Readonly<Record<string, LanguageSet>> = {
  "xquad-ar": { analyzer: "arabic", standard: 0.8838, own: 0.938 },
  "xquad-de": { analyzer: "german", standard: 0.9153, own: 0.9435 },
  "xquad-el": { analyzer: "greek", standard: 0.9102, own: 0.9443 },
  "xquad-en": { analyzer: "english", standard: 0.9574, own: 0.9646 },
  "xquad-es": { analyzer: "spanish", standard: 0.9483, own: 0.9583 },
  "squades-es": { analyzer: "spanish", standard: 0.8011, own: 0.8166 },
  "xquad-hi": { analyzer: "hindi", standard: 0.9448, own: 0.9527 },
  "xquad-ro": { analyzer: "romanian", standard: 0.92, own: 0.9633 },
  "xquad-ru": { analyzer: "russian", standard: 0.8707, own: 0.9557 },
  "xquad-th": { analyzer: "thai", standard: 0.24, own: 0.9571 },
  "xquad-tr": { analyzer: "turkish", standard: 0.8634, own: 0.9422 },
  "xquad-vi": { analyzer: "universal" },
  "xquad-zh": { analyzer: "chinese", standard: 0.9461, own: 0.9602, pairs: 0.9659 },
  "cmrc-zh": { analyzer: "chinese", standard: 0.945, own: 0.9824, pairs: 0.981 },
  "jaquad-ja": { analyzer: "japanese", standard: 0.9, own: 0.9167, pairs: 0.905 },
};

export const languages: Bench = {
  name: "languages",
  about:
    "nDCG@10 of words alone on collections of 11 languages: the analyzer of the language by its name, and universal, the " +
    "default, beside Lucene 9.12.1: its StandardAnalyzer, its analyzer of the language and, for Chinese and Japanese, its pairs " +
    "of characters. All are BM25 with k1 0.9 and b 0.4. One passage answers a question, and questions were written from the " +
    "passages, so figures are near the ceiling. Lucene's figures are of one run outside of this bench, on the same files.",

  async run(print) {
    const rows: string[][] = [];
    for (const [name, { analyzer, standard, own, pairs }] of Object.entries(SETS)) {
      printProgress(`languages: ${name}`);
      const read = await readSet(name);
      const byName = await measureQuality(read, analyzer);
      const byDefault = analyzer === "universal" ? byName : await measureQuality(read, "universal");
      const figures = [byName, byDefault, standard, own, pairs];
      const sizes = [read.documents.length, read.queries.length].map(String);
      rows.push([
        name,
        ...sizes,
        analyzer,
        ...figures.map((each) => each?.toFixed(4).replace(/^0/, "") ?? "–"),
      ]);
    }
    const columns = ["collection", "documents", "questions", "analyzer", "by name", "universal"];
    print(`\n${formatTable([...columns, "Lucene standard", "Lucene's own", "Lucene pairs"], rows)}`);
  },
};

interface Texts {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
}

async function readSet(name: string) {
  const folder = dataPath("languages", name);
  const linesOf = async (file: string): Promise<Texts[]> => {
    const lines = gunzipSync(await readFile(`${folder}/${file}`))
      .toString()
      .trimEnd()
      .split("\n");
    return lines.map((line) => {
      const { _id, title, text } = JSON.parse(line);
      return { id: _id, ...(title && { title }), text };
    });
  };
  const judged = await readBeirQrels(folder, "test");
  const queries = (await linesOf("queries.jsonl.gz")).filter(({ id }) => judged.has(id));
  return { documents: await linesOf("corpus.jsonl.gz"), queries, judged };
}

async function measureQuality(
  { documents, queries, judged }: Awaited<ReturnType<typeof readSet>>,
  analyzer: AnalyzerName,
): Promise<number> {
  const index = await Sluice.build(documents, { encoder: "none", analyzer });
  const answers = await index.searchAll(queries.map(({ text }) => text));
  const run = new Map(
    answers.map(({ hits }, i) => [queries[i].id, hits.map(({ id, score }) => ({ id, score }))]),
  );
  await index.close();
  return evaluate(run, judged, ["ndcg@10"], { rule: "stable" }).means.get("ndcg@10")!;
}
