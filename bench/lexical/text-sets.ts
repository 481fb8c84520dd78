// Real text as bags of counts, cut by our English analyser for everybody: the abstracts of the ACL anthology with titles
// as queries, and scifact, whose index is weighed.

import { type Bag, count, english, readText } from "../../src/index.ts";
import { dataPath } from "../bench.ts";
import { type BagSet, BagSetBuilder } from "./bags.ts";

/** The first `docs` abstracts, and so many of their titles, at even distances. */
export async function acl(docs: number, queries: number): Promise<BagSet> {
  const lines = await readLines("pairs", "acl-title-abstract.jsonl.gz");
  const pairs = lines.slice(0, docs).map((line) => JSON.parse(line) as { query: string; positive: string });
  const asked = Array.from({ length: queries }, (_, i) => pairs[Math.floor((i * pairs.length) / queries)]);
  return textSet(
    pairs.map(({ positive }) => positive),
    asked.map(({ query }) => query),
  );
}

/** Title and text; nothing is asked. */
export async function scifact(): Promise<BagSet> {
  const lines = await readLines("collections", "scifact", "corpus.jsonl");
  const documents = lines.map((line) => JSON.parse(line) as { title: string; text: string });
  return textSet(
    documents.map(({ title, text }) => [title, text].filter(Boolean).join(" ")),
    [],
  );
}

function textSet(documents: readonly string[], queries: readonly string[]): BagSet {
  const builder = new BagSetBuilder();
  const bag = (text: string): Bag => count(english.terms(text));
  const docs = builder.bags(documents.map(bag));
  const asked = builder.bags(queries.map(bag));
  return { kind: "bm25", docs, queries: asked, vocabulary: builder.vocabulary };
}

async function readLines(...names: string[]): Promise<string[]> {
  return (await readText(dataPath(...names))).trimEnd().split("\n");
}
