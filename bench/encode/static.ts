// Measures what the static encoder costs beside BM25 alone: texts a second, the time to build an index, and the time of a
// search. One thread. Each figure has a limit, and is marked met or missed.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { definitions } from "../../demo/wordnet.ts";
import { Encoder } from "../../src/encode/index.ts";
import { type Document, Sluice } from "../../src/index.ts";
import { formatTable } from "../../src/lab/index.ts";
import { dataPath } from "../support/bench.ts";

const ROUNDS = 3;
const SHORT_WORDS = 12;
const TEXTS = 20_000;
const QUESTIONS = 200;
/** At least: texts a second. */
const LEAST = { short: 20_000, abstract: 3000 };
/** At most: times as long as BM25 alone, and milliseconds more for a search. */
const MOST = { build: 1.5, search: 1.5, searchMs: 0.2 };

export const STATIC_ABOUT =
  `Then the static encoder, one thread: ${TEXTS.toLocaleString("en")} texts of ${SHORT_WORDS} words and as many abstracts of the ACL ` +
  "anthology, by dims; the time to build an index in memory of WordNet's definitions and of the ACL abstracts, and of " +
  `${QUESTIONS} searches (k 10; definitions cut to ${SHORT_WORDS} words, and titles), beside BM25 alone. Fastest of ${ROUNDS} rounds that take turns.`;

export async function measureStatic(print: (text: string) => void): Promise<void> {
  const acl = abstracts();
  const marks: string[] = [];
  const mark = (isMet: boolean, text: string) => marks.push(`${isMet ? "met" : "missed"}: ${text}`);
  await measureRates(acl, print, mark);
  const wordnet = [...definitions()];
  const cut = (text: string) => text.split(" ").slice(0, SHORT_WORDS).join(" ");
  const spread = <T>(list: readonly T[]) =>
    Array.from({ length: QUESTIONS }, (_, i) => list[Math.floor((i * list.length) / QUESTIONS)]);
  const rows = [
    ...(await compareBeside(
      "WordNet",
      wordnet,
      spread(wordnet).map(({ text }) => cut(text)),
      mark,
    )),
    ...(await compareBeside("ACL", acl.documents, spread(acl.titles), mark)),
  ];
  print(
    `\n${formatTable(["", "documents", "build, s", "times BM25", "search, ms", "BM25 alone, ms"], rows)}`,
  );
  print(`\n${marks.join("\n")}`);
}

type Mark = (isMet: boolean, text: string) => void;

interface Abstracts {
  readonly titles: readonly string[];
  readonly documents: readonly Document[];
}

function abstracts(): Abstracts {
  const text = gunzipSync(readFileSync(dataPath("pairs", "acl-title-abstract.jsonl.gz"))).toString();
  const pairs = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { query: string; positive: string });
  return {
    titles: pairs.map(({ query }) => query),
    documents: pairs.map(({ positive }, i) => ({ id: String(i), text: positive })),
  };
}

async function measureRates(
  { documents }: Abstracts,
  print: (text: string) => void,
  mark: Mark,
): Promise<void> {
  const long = documents.slice(0, TEXTS).map(({ text }) => text as string);
  const words = long.join(" ").split(/\s+/);
  const short = Array.from({ length: TEXTS }, (_, i) =>
    words.slice(i * SHORT_WORDS, (i + 1) * SHORT_WORDS).join(" "),
  );
  const rows: string[][] = [];
  for (const name of ["static", "static:128", "static:64"]) {
    const encoder = await Encoder.open(name);
    const rate = async (texts: readonly string[]) => {
      let best = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const started = performance.now();
        await encoder.encode(texts, "passage");
        best = Math.max(best, texts.length / ((performance.now() - started) / 1000));
      }
      return Math.round(best);
    };
    const [ofShort, ofLong] = [await rate(short), await rate(long)];
    const shown = [ofShort, ofLong].map((figure) => figure.toLocaleString("en"));
    rows.push([name, ...shown]);
    mark(
      ofShort >= LEAST.short,
      `${name}: ${shown[0]} short texts a second, at least ${LEAST.short.toLocaleString("en")}`,
    );
    mark(
      ofLong >= LEAST.abstract,
      `${name}: ${shown[1]} abstracts a second, at least ${LEAST.abstract.toLocaleString("en")}`,
    );
  }
  print(`\n${formatTable(["", "short texts/s", "abstracts/s"], rows)}`);
}

/** Builds and searches the same documents with and without the encoder, in turns. */
async function compareBeside(
  name: string,
  documents: readonly Document[],
  queries: readonly string[],
  mark: Mark,
): Promise<string[][]> {
  const ways = ["none", "static", "static:128", "static:64"] as const;
  const builds = new Map<string, number>(ways.map((way) => [way, Number.POSITIVE_INFINITY]));
  const searches = new Map(builds);
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) {
      const encoder = way === "none" ? undefined : await Encoder.open(way);
      const started = performance.now();
      const index = await Sluice.build(documents, { encoder: encoder ?? "none" });
      builds.set(way, Math.min(builds.get(way)!, (performance.now() - started) / 1000));
      searches.set(way, Math.min(searches.get(way)!, await measureMedianSearch(index, queries)));
      await index.close();
    }
  }
  const [build, search] = [builds.get("none")!, searches.get("none")!];
  return ways.map((way) => {
    const [ownBuild, ownSearch] = [builds.get(way)!, searches.get(way)!];
    const times = ownBuild / build;
    if (way !== "none") {
      mark(
        times <= MOST.build,
        `${name}, ${way}: built in ${times.toFixed(2)} × the time of BM25, at most ${MOST.build}`,
      );
      const most = MOST.search * search + MOST.searchMs;
      mark(
        ownSearch <= most,
        `${name}, ${way}: a search takes ${ownSearch.toFixed(2)} ms, at most ${most.toFixed(2)}`,
      );
    }
    return [
      `${name}, ${way === "none" ? "BM25 alone" : `BM25 + ${way}`}`,
      documents.length.toLocaleString("en"),
      ownBuild.toFixed(2),
      times.toFixed(2),
      ownSearch.toFixed(2),
      search.toFixed(2),
    ];
  });
}

async function measureMedianSearch(index: Sluice, queries: readonly string[]): Promise<number> {
  for (const query of queries.slice(0, 20)) await index.search(query, { k: 10 });
  const times: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    await index.search(query, { k: 10 });
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}
