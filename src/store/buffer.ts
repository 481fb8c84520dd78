// Documents that were added and are not in a segment yet.

import { TermMatrix } from "../densify/term-matrix.ts";
import type { Fields } from "./documents.ts";
import type { StoredDocument } from "./group.ts";
import type { CountedTerms } from "./lexicon.ts";
import type { SegmentDocument } from "./segment-builder.ts";
import type { TaughtBy } from "./teach.ts";

interface Waiting {
  readonly id: Uint8Array;
  readonly json: Uint8Array;
  readonly length: number;
  readonly unknown: number;
  readonly vector: Float32Array | undefined;
}

/** Of a document that waits, beside what is counted. */
const OVERHEAD_BYTES = 256;
/** Of a term that waits: its id and its weight. */
const TERM_BYTES = 12;

export class DocumentBuffer {
  /** Serial numbers go on from here without a gap. */
  readonly firstSerial: number;
  readonly #matrix = new TermMatrix();
  readonly #waiting: Waiting[] = [];
  /** By position: those that were deleted before they were ever written. */
  readonly #dropped = new Set<number>();
  #bytes = 0;

  constructor(firstSerial: number) {
    this.firstSerial = firstSerial;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Documents, dropped ones included. */
  get length(): number {
    return this.#waiting.length;
  }

  get docs(): number {
    return this.#waiting.length - this.#dropped.size;
  }

  add(
    id: Uint8Array,
    json: Uint8Array,
    { ids, weights, length, unknown }: CountedTerms,
    vector?: Float32Array,
  ): void {
    this.#matrix.add(ids, weights);
    this.#waiting.push({ id, json, length, unknown, vector });
    this.#bytes +=
      OVERHEAD_BYTES + id.length + json.length + TERM_BYTES * ids.length + (vector?.byteLength ?? 0);
  }

  holds(serial: number): boolean {
    const at = serial - this.firstSerial;
    return at >= 0 && at < this.#waiting.length && !this.#dropped.has(at);
  }

  drop(serial: number): void {
    this.#dropped.add(serial - this.firstSerial);
  }

  fieldsOf(serial: number): Fields {
    return parsed(this.#waiting[serial - this.firstSerial].json);
  }

  /** Terms and length of each document, for a slicing to learn from. */
  taught(): TaughtBy {
    const kept = [...this.#kept()];
    const at = (doc: number) => ({
      terms: this.#matrix.at(kept[doc]),
      length: this.#waiting[kept[doc]].length,
    });
    return { docs: kept.length, at };
  }

  *documents(): Generator<SegmentDocument> {
    for (const at of this.#kept()) {
      const { id, json, length, unknown, vector } = this.#waiting[at];
      const fields = parsed(json);
      yield {
        id,
        serial: this.firstSerial + at,
        fields,
        terms: this.#matrix.at(at),
        length,
        unknown,
        vector,
      };
    }
  }

  /** What the database keeps of each document. */
  *stored(): Generator<StoredDocument> {
    for (const at of this.#kept()) yield { serial: this.firstSerial + at, json: this.#waiting[at].json };
  }

  *#kept(): Generator<number> {
    for (let at = 0; at < this.#waiting.length; at++) if (!this.#dropped.has(at)) yield at;
  }
}

const decoder = new TextDecoder();

function parsed(json: Uint8Array): Fields {
  return JSON.parse(decoder.decode(json));
}
