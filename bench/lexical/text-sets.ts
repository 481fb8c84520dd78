// Data sets of real text as bags of counts. Our English analyzer splits the text for all engines. ACL: the abstracts of the ACL
// anthology with titles as queries. scifact: used to measure the size of an index.

import { english } from "../../src/analyze/index.ts";
import { type Bag, countTerms } from "../../src/documents/bag.ts";
import { readText } from "../../src/support/files/text-file.ts";
import { dataPath } from "../support/bench.ts";
import { type BagSet, BagSetBuilder } from "./bags.ts";

/** Takes the first `docs` abstracts, and `queries` of their titles at even distances. */
export async function readAclBags(docs: number, queries: number): Promise<BagSet> {
  const lines = await readLines("pairs", "acl-title-abstract.jsonl.gz");
  const pairs = lines.slice(0, docs).map((line) => JSON.parse(line) as { query: string; positive: string });
  const asked = Array.from({ length: queries }, (_, i) => pairs[Math.floor((i * pairs.length) / queries)]);
  return textSet(
    pairs.map(({ positive }) => positive),
    asked.map(({ query }) => query),
  );
}

/** Title and text of each document; no queries. */
export async function readScifact(): Promise<BagSet> {
  const lines = await readLines("collections", "scifact", "corpus.jsonl");
  const documents = lines.map((line) => JSON.parse(line) as { title: string; text: string });
  return textSet(
    documents.map(({ title, text }) => [title, text].filter(Boolean).join(" ")),
    [],
  );
}

function textSet(documents: readonly string[], queries: readonly string[]): BagSet {
  const builder = new BagSetBuilder();
  const bag = (text: string): Bag => countTerms(english.terms(text));
  const docs = builder.bags(documents.map(bag));
  const asked = builder.bags(queries.map(bag));
  return { kind: "bm25", docs, queries: asked, vocabulary: builder.vocabulary };
}

async function readLines(...names: string[]): Promise<string[]> {
  return (await readText(dataPath(...names))).trimEnd().split("\n");
}
