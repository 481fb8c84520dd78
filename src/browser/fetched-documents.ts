// Document numbers → the fields of the documents. They are fetched on demand, because a page shows ten hits of a million.

import type { Fields } from "../documents/document.ts";
import { DOCUMENT_SECTIONS, documentsFile } from "../store/web/web-format.ts";
import type { FetchedSections } from "./sections.ts";
import type { Site } from "./site.ts";

/** Files that stay in memory, each with about 64 KB of JSON: 32 MB in all. The least recently used one is dropped first. */
const MAX_CACHED = 512;

export class FetchedDocuments {
  readonly #site: Site;
  /** The first document of each file; the last entry is the number of documents. */
  readonly #starts: Uint32Array;
  readonly #bytes: Uint32Array;
  readonly #stored: Uint32Array;
  readonly #checksums: Uint32Array;
  readonly #cache = new Map<number, Promise<string[]>>();

  /** Needs the sections in DOCUMENT_SECTIONS, already fetched. */
  constructor(site: Site, sections: FetchedSections) {
    const array = (name: keyof typeof DOCUMENT_SECTIONS) =>
      sections.sectionSync(DOCUMENT_SECTIONS[name]) as Uint32Array;
    this.#site = site;
    this.#starts = array("starts");
    this.#bytes = array("bytes");
    this.#stored = array("stored");
    this.#checksums = array("checksums");
  }

  /** The fields of documents, in the order of `docNumbers`; empty if documents were not exported. */
  fetchFields(docNumbers: readonly number[]): Promise<Fields[]> {
    return Promise.all(docNumbers.map((doc) => this.#fetchFields(doc)));
  }

  async #fetchFields(doc: number): Promise<Fields> {
    if (this.#bytes.length === 0) return {};
    const part = this.#partOf(doc);
    const lines = await this.#fetchLines(part);
    return JSON.parse(lines[doc - this.#starts[part]]);
  }

  #partOf(doc: number): number {
    let [low, high] = [0, this.#bytes.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle] <= doc) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #fetchLines(part: number): Promise<string[]> {
    const lines = this.#cache.get(part) ?? this.#fetch(part);
    this.#cache.delete(part);
    this.#cache.set(part, lines);
    lines.catch(() => this.#cache.delete(part)); // the next call tries again
    if (this.#cache.size > MAX_CACHED) this.#cache.delete(this.#cache.keys().next().value!);
    return lines;
  }

  async #fetch(number: number): Promise<string[]> {
    const part = {
      bytes: this.#bytes[number],
      stored: this.#stored[number],
      checksum: this.#checksums[number],
    };
    const bytes = await this.#site.fetchPart(documentsFile(number, part), part);
    return new TextDecoder().decode(bytes).split("\n");
  }
}
