// A data set of weighted bags in memory, and as files that programs in any language can read:
//
//   docs.txt, queries.txt   one document or query per line: term SPACE weight SPACE term SPACE weight …, in the order of ids
//   terms.txt               one term per line; the line number is the id, for engines that use numbers
//   about.json              {"kind", "docs", "queries", "terms"}
//
// Weights are integers: the count of a term, or the weight from an encoder. Lines are in the order of the ids, so every
// engine reads the same bytes.

import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import type { Bag } from "../../src/documents/bag.ts";

/** How documents are scored: by BM25 of counts, or by the inner product of weights. */
export type Kind = "bm25" | "weights";

/** Many bags, one after the other. The entries of bag i are at starts[i] … starts[i + 1] − 1. */
export interface Bags {
  readonly starts: Uint32Array;
  readonly terms: Uint32Array;
  readonly weights: Uint32Array;
}

export interface BagSet {
  readonly kind: Kind;
  readonly vocabulary: readonly string[];
  readonly docs: Bags;
  readonly queries: Bags;
}

export interface About {
  readonly kind: Kind;
  readonly docs: number;
  readonly queries: number;
  readonly terms: number;
}

/** A bag as an engine gets it. */
export type Entries = readonly (readonly [term: string, weight: number])[];

/** Collects bags and numbers their terms in the order of first occurrence. */
export class BagSetBuilder {
  readonly #ids = new Map<string, number>();

  bags(all: Iterable<Bag>): Bags {
    const starts = [0];
    const [terms, weights]: [number[], number[]] = [[], []];
    for (const bag of all) {
      for (const [term, weight] of bag) {
        terms.push(this.#idOf(term));
        weights.push(weight);
      }
      starts.push(terms.length);
    }
    return {
      starts: new Uint32Array(starts),
      terms: new Uint32Array(terms),
      weights: new Uint32Array(weights),
    };
  }

  get vocabulary(): string[] {
    return [...this.#ids.keys()];
  }

  #idOf(term: string): number {
    let id = this.#ids.get(term);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(term, id);
    }
    return id;
  }
}

export const countOf = ({ starts }: Bags): number => starts.length - 1;

export function aboutOf({ kind, docs, queries, vocabulary }: BagSet): About {
  return { kind, docs: countOf(docs), queries: countOf(queries), terms: vocabulary.length };
}

export async function writeBagSet(folder: string, set: BagSet): Promise<void> {
  await pipeline(lines(set.docs, set.vocabulary), createWriteStream(join(folder, "docs.txt")));
  await pipeline(lines(set.queries, set.vocabulary), createWriteStream(join(folder, "queries.txt")));
  await writeFile(join(folder, "terms.txt"), set.vocabulary.map((term) => `${term}\n`).join(""));
  await writeFile(join(folder, "about.json"), JSON.stringify(aboutOf(set)));
}

export async function readAbout(folder: string): Promise<About> {
  return JSON.parse(await readFile(join(folder, "about.json"), "utf8"));
}

/** Streams the documents, so only the engine itself decides what stays in memory. */
export async function* readDocs(folder: string): AsyncGenerator<Entries> {
  for await (const line of createInterface({ input: createReadStream(join(folder, "docs.txt")) })) {
    yield entries(line);
  }
}

export function readQueries(folder: string): Entries[] {
  return readLines(join(folder, "queries.txt")).map(entries);
}

/** Reads the ids of all terms. */
export function readTermIds(folder: string): Map<string, number> {
  return new Map(readLines(join(folder, "terms.txt")).map((term, id) => [term, id]));
}

/** Turns a bag of counts into a text of its terms separated by spaces. */
export function textOf(bag: Entries): string {
  const terms: string[] = [];
  for (const [term, count] of bag) for (let i = 0; i < count; i++) terms.push(term);
  return terms.join(" ");
}

function readLines(path: string): string[] {
  return readFileSync(path, "utf8").split("\n").slice(0, -1);
}

function entries(line: string): Entries {
  if (line === "") return [];
  const fields = line.split(" ");
  const found: [term: string, weight: number][] = [];
  for (let i = 0; i < fields.length; i += 2) found.push([fields[i], Number(fields[i + 1])]);
  return found;
}

function* lines({ starts, terms, weights }: Bags, vocabulary: readonly string[]): Generator<string> {
  for (let bag = 0; bag + 1 < starts.length; bag++) {
    const fields: string[] = [];
    for (let i = starts[bag]; i < starts[bag + 1]; i++) fields.push(`${vocabulary[terms[i]]} ${weights[i]}`);
    yield `${fields.join(" ")}\n`;
  }
}
