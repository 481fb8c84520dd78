// Documents, folders and indexes that targets begin with. They are small, so that many inputs can be tried.

import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, Sluice } from "../../../src/index.ts";

const WORDS = ["water", "gate", "lock", "canal", "boat", "weir", "new", "york", "sea", "über"];
const VECTOR_DIMS = 4;

/** Documents with words, vectors, and fields of every kind. */
export function smallDocuments(count = 24): Document[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    title: WORDS[i % 7],
    text: [0, 1, 3, 4, 7].map((step) => WORDS[(i * 3 + step * (1 + (i % 3))) % WORDS.length]).join(" "),
    vector: Array.from({ length: VECTOR_DIMS }, (_, d) => Math.sin(i * 7 + d * 3)),
    ...(i % 4 !== 3 && { year: 1900 + (i % 6) * 10 }),
    ...(i % 3 === 0 && { kind: i % 2 === 0 ? "noun" : "verb" }),
    ...(i % 5 === 0 && { tags: ["red", i, null, i % 2 === 0] }),
    ...(i % 7 === 0 && { author: { name: "Ada", age: i }, "a.b": "dotted" }),
    ...(i % 6 === 0 && { open: i % 4 === 0, none: null }),
  }));
}

/** A new folder, in memory if the system has such a place. */
export function newFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sluice-fuzz-"));
}

/** An index in memory, with positions and product codes. */
export function smallIndex(): Promise<Sluice> {
  return Sluice.build(smallDocuments(), {
    encoder: "none",
    analyzer: "whitespace",
    dims: 8,
    positions: true,
    quantize: { parts: 2 },
  });
}

/** An index like `smallIndex`, in a folder, which the caller removes. */
export async function smallIndexFolder(): Promise<string> {
  const folder = newFolder();
  const index = await Sluice.open(folder, {
    encoder: "none",
    analyzer: "whitespace",
    dims: 8,
    positions: true,
  });
  await index.add(smallDocuments());
  await index.commit();
  await index.close();
  return folder;
}

/** Queries that read every kind of section, and their hits. */
export async function answersOf(index: Pick<Sluice, "search" | "documents">): Promise<unknown[]> {
  const vector = [1, 0.5, -0.25, 2];
  const asked = [
    await index.search({ text: "water gate boat", vector }, { k: 5, lambda: 1 }),
    await index.search("lock", { k: 30, lambda: 0, filter: { year: { gte: 1910 }, kind: "noun" } }),
    await index.search('"new york" sea', { lambda: 0, syntax: true }),
  ];
  return asked.map(({ hits }) => hits.map(({ id, score }) => [id, score]));
}
