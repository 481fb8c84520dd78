// Copies the undamaged documents of an index into a new one, and records what was lost. This is the way of an index whose
// settings are lost; recorded-salvage.ts is that of one whose settings are known.

import type { Document } from "../documents/document.ts";
import { openFolderIndex } from "../open/open-index.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import type { DamagedIndex, NamedDocument, RowPart } from "./damaged-index.ts";
import type { RepairOptions, RepairResult } from "./repair-options.ts";

/** The field of a document that each part of a row was made from. */
const PART_FIELDS = { vector: "vector", row: "weights", factors: "termFactors" } as const;

/** Records what was lost, and copies the documents of an index whose settings are lost. */
export class Salvage {
  readonly #damaged: DamagedIndex;
  readonly #folder: string;
  readonly #options: RepairOptions;
  readonly #lost: { id: string; reason: string }[] = [];
  readonly #incomplete: { id: string; missing: ("vector" | "weights" | "termFactors")[] }[] = [];
  encoded = 0;

  constructor(damaged: DamagedIndex, folder: string, options: RepairOptions) {
    this.#damaged = damaged;
    this.#folder = folder;
    this.#options = options;
  }

  report(docs: number): Omit<RepairResult, "problems" | "hasSettings"> {
    const unnamed = Math.max(0, this.#damaged.expected - docs - this.#lost.length);
    const { encoded } = this;
    return { docs, encoded, lost: this.#lost, unnamed, incomplete: this.#incomplete };
  }

  recordLoss(id: string, error: unknown): void {
    if (!(error instanceof SluiceError)) throw error;
    this.#lost.push({ id, reason: error.problem });
  }

  /** Records what is missing, and returns the document with placeholders: a zero vector, no weights. */
  recordMissingParts(document: Document, missing: readonly RowPart[]): Document {
    if (missing.length === 0) return document;
    this.#incomplete.push({ id: document.id, missing: missing.map((part) => PART_FIELDS[part]) });
    return {
      ...document,
      ...(missing.includes("vector") && { vector: new Float32Array(this.#damaged.semanticDims) }),
      ...(missing.includes("row") && { weights: new Map() }),
    };
  }

  /** The document as it is stored; undefined if it is damaged. */
  stored(named: NamedDocument): Document | undefined {
    try {
      return { ...this.#damaged.fieldsOf(named), id: named.id } as Document;
    } catch (error) {
      this.recordLoss(named.id, error);
      return undefined;
    }
  }

  requireSome(documents: number): void {
    const { expected } = this.#damaged;
    if (documents > 0 || (expected === 0 && this.#damaged.record)) return;
    const reason = this.#lost[0]?.reason ?? "no id of a document is left";
    throw new SluiceError(
      `${this.#folder}: none of ${expected} documents can be saved: ${reason}`,
      "restore a backup, or build the index again",
      "ERR_SLUICE_DAMAGED",
    );
  }

  /** Writes a new index with the options of the caller. Returns how many documents it has. */
  async writeAsNew(into: string): Promise<number> {
    const { analyzer, encoder, overwrite, onProgress, signal } = this.#options;
    const backend = await openFolderIndex(into, { analyzer, encoder, overwrite });
    try {
      const stored = this.#readStoredDocuments();
      const { added } = await backend.add(stored, { upsert: false, onProgress, signal });
      this.requireSome(added);
      await backend.commit({ onProgress, signal });
      return added;
    } finally {
      await backend.close();
    }
  }

  /** Documents with the vectors of their segments, unless an encoder makes them. */
  async *#readStoredDocuments(): AsyncGenerator<Document> {
    const hasOwnVectors = this.#options.encoder === "none" && this.#damaged.semanticDims > 0;
    for (const named of this.#damaged.documents) {
      const document = this.stored(named);
      if (!document) continue;
      if (!hasOwnVectors) yield document;
      else {
        const vector = await this.#damaged.readVector(named);
        yield vector ? { ...document, vector } : this.recordMissingParts(document, ["vector"]);
      }
    }
  }
}
