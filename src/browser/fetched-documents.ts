// Document numbers → the documents' fields, fetched when they are asked for: a page looks at ten hits of a million.

import type { Fields } from "../documents/document.ts";
import { DOCUMENT_SECTIONS, documentsFile } from "../store/web-format.ts";
import type { FetchedSections } from "./sections.ts";
import type { Site } from "./site.ts";

/** Parts that are kept, each of some 64 KB of JSON: 32 MB. The one that was used last stays longest. */
const MOST_KEPT = 512;

export class FetchedDocuments {
  readonly #site: Site;
  /** By part: its first document; and, at the end, how many there are. */
  readonly #starts: Uint32Array;
  readonly #bytes: Uint32Array;
  readonly #stored: Uint32Array;
  readonly #checksums: Uint32Array;
  readonly #kept = new Map<number, Promise<string[]>>();

  /** The sections that say where documents are have been fetched. */
  constructor(site: Site, sections: FetchedSections) {
    const array = (name: keyof typeof DOCUMENT_SECTIONS) =>
      sections.sectionSync(DOCUMENT_SECTIONS[name]) as Uint32Array;
    this.#site = site;
    this.#starts = array("starts");
    this.#bytes = array("bytes");
    this.#stored = array("stored");
    this.#checksums = array("checksums");
  }

  /** In the order of the numbers; empty where documents were not exported. */
  fields(docs: readonly number[]): Promise<Fields[]> {
    return Promise.all(docs.map((doc) => this.#fields(doc)));
  }

  async #fields(doc: number): Promise<Fields> {
    if (this.#bytes.length === 0) return {};
    const part = this.#partOf(doc);
    const lines = await this.#lines(part);
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

  #lines(part: number): Promise<string[]> {
    const lines = this.#kept.get(part) ?? this.#fetch(part);
    this.#kept.delete(part);
    this.#kept.set(part, lines);
    lines.catch(() => this.#kept.delete(part)); // it may be there next time
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return lines;
  }

  async #fetch(number: number): Promise<string[]> {
    const part = {
      bytes: this.#bytes[number],
      stored: this.#stored[number],
      checksum: this.#checksums[number],
    };
    const bytes = await this.#site.part(documentsFile(number, part), part);
    return new TextDecoder().decode(bytes).split("\n");
  }
}
