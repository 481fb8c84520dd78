// An index of documents as OpenSearch sees it: settings and mapping, and a stored document in it.

import type { Slicing } from "../../densify/slicing.ts";
import type { Fields } from "../../documents/document.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { FLOAT16 } from "../../support/numbers/float16.ts";
import { createCellTokens } from "./cell-tokens.ts";
import { FIELD_TOKENS, fieldTokens } from "./field-tokens.ts";
import { packStoredRow, type StoredRow, type StoredRowShape } from "./stored-row.ts";

/** A version of a document, as the cluster stores it. `born` and `died` are generations: see visibility.ts. */
interface StoredVersion {
  readonly id: string;
  readonly serial: number;
  readonly born: number;
  readonly died?: readonly number[];
  readonly row: StoredRow;
  /** The fields of the document, as JSON. */
  readonly json: string;
}

/** What decides how documents are stored. */
export interface DocumentShape extends StoredRowShape {
  /** What weights are multiplied by, to be whole numbers: a power of two. */
  readonly weightScale: number;
}

/** What a weight of BM25 is multiplied by. A float16 of at least 2⁻⁶ is then a whole number. */
export const USUAL_SCALE = 65_536;
/** OpenSearch adds up the frequencies of a document in 31 bits. */
const MOST_FREQUENCIES = 2 ** 31 - 1;

export interface ClusterLayout {
  readonly shards: number;
  readonly replicas: number;
}

/** The body that creates an index of documents. `meta` goes into its `_meta`. */
export function createMapping(
  semanticDims: number,
  meta: object,
  { shards, replicas }: ClusterLayout,
): object {
  return {
    settings: {
      index: {
        number_of_shards: shards,
        number_of_replicas: replicas,
        // A commit refreshes. Until then nothing needs to be visible, and searches of others cost nothing.
        refresh_interval: "-1",
        // Similarities cannot be changed later. This one adds up what the query and the document say, and nothing of the cluster's.
        similarity: {
          product: { type: "scripted", script: { source: "return query.boost * doc.freq;" } },
        },
      },
      analysis: {
        analyzer: { weights: { type: "custom", tokenizer: "whitespace", filter: ["weight"] } },
        filter: { weight: { type: "delimited_term_freq" } },
      },
    },
    mappings: {
      _meta: meta,
      dynamic: "strict",
      // The rest is in doc values and posting lists. A document is never updated in place, so it is not needed here.
      _source: { includes: ["id", "document"] },
      properties: {
        id: { type: "keyword" },
        serial: { type: "long" },
        born: { type: "long" },
        died: { type: "long" },
        terms: {
          type: "text",
          analyzer: "weights",
          similarity: "product",
          index_options: "freqs",
          norms: false,
        },
        ...(semanticDims > 0 && { vector: { type: "knn_vector", dimension: semanticDims + 1 } }),
        row: { type: "binary", doc_values: true },
        [FIELD_TOKENS]: { type: "keyword" },
        document: { type: "object", enabled: false },
      },
    },
  };
}

/** A document → the line of JSON that stores it. */
export class DocumentLines {
  readonly #tokenOf: (slice: number, index: number) => string;
  readonly #shape: DocumentShape;

  constructor(slicing: Slicing, shape: DocumentShape) {
    this.#tokenOf = createCellTokens(slicing);
    this.#shape = shape;
  }

  lineOf({ id, serial, born, died, row, json }: StoredVersion): string {
    const { vector } = row;
    const fields = JSON.parse(json) as Fields;
    const source = {
      id,
      serial,
      born,
      ...(died !== undefined && { died }),
      terms: this.#terms(row, id),
      // The last value is 1, and the query's is large enough to keep every inner product above 0: see rank-clauses.ts.
      ...(vector.length > 0 && { vector: [...Array.from(vector, (bits) => FLOAT16[bits]), 1] }),
      row: packStoredRow(row, this.#shape).toString("base64"),
      [FIELD_TOKENS]: fieldTokens(fields),
    };
    return `${JSON.stringify(source).slice(0, -1)},"document":${json}}`;
  }

  /** "term|frequency" for each slot. A frequency is a weight as a whole number, and at least 1. */
  #terms({ slices, indices, values }: StoredRow, id: string): string {
    const tokens: string[] = [];
    let sum = 0;
    for (let i = 0; i < slices.length; i++) {
      const frequency = Math.max(1, Math.round(FLOAT16[values[i]] * this.#shape.weightScale));
      sum += frequency;
      tokens.push(`${this.#tokenOf(slices[i], indices[i])}|${frequency}`);
    }
    if (sum <= MOST_FREQUENCIES) return tokens.join(" ");
    throw new SluiceError(
      `document ${JSON.stringify(id)}: its weights add up to ${Math.round(sum / this.#shape.weightScale)}, and the cluster ` +
        `takes ${Math.floor(MOST_FREQUENCIES / this.#shape.weightScale)} with this index's first documents`,
      "scale the weights down, or add documents with large weights first",
    );
  }
}

/** The scale for weights like these: as precise as possible, with room for documents that are 64 times as heavy. */
export function weightScaleFor(rows: Iterable<StoredRow>): number {
  let heaviest = 0;
  for (const { values } of rows) {
    heaviest = Math.max(
      heaviest,
      values.reduce((sum, bits) => sum + FLOAT16[bits], 0),
    );
  }
  let scale = USUAL_SCALE;
  while (scale > 1 && scale * heaviest * 64 > MOST_FREQUENCIES) scale /= 2;
  return scale;
}
