// The documents of the hits of one answer, each read when it is first used. They outlive their snapshot: before it closes, they
// move on to a later one. A document that the later one does not have is read at that time, and kept.

import type { Fields } from "../../documents/document.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

/** Stands in the list in place of a doc that needs no more reading: the hit has its document, or the document is kept here. */
const READ = -1;

export class LazyDocuments {
  #snapshot: Snapshot;
  #docNumbers: number[];
  /** Documents that no open snapshot has, and the errors of documents that could not be read. The keys are ranks in the answer. */
  readonly #kept = new Map<number, { fields: Fields } | { error: unknown }>();

  constructor(snapshot: Snapshot, docNumbers: number[]) {
    this.#snapshot = snapshot;
    this.#docNumbers = docNumbers;
    snapshot.lazyDocuments.add(this);
  }

  /** Returns the document at a rank of the answer, and forgets it: the hit keeps it from now on. */
  take(at: number): Fields {
    const kept = this.#kept.get(at);
    if (!kept) {
      const fields = this.#snapshot.document(this.#docNumbers[at]);
      this.#docNumbers[at] = READ;
      return fields;
    }
    if ("error" in kept) throw kept.error;
    this.#kept.delete(at);
    return kept.fields;
  }

  /** Moves on to a later snapshot, one document a step. Between two steps, documents may be taken. */
  *moveTo(next: Snapshot): Generator<undefined, void> {
    const docNumbers: number[] = [];
    for (const at of this.#docNumbers.keys()) {
      docNumbers.push(this.#moved(at, next));
      yield;
    }
    for (const [at, doc] of this.#docNumbers.entries()) if (doc === READ) docNumbers[at] = READ; // taken meanwhile
    this.#docNumbers = docNumbers;
    this.#snapshot = next;
    if (docNumbers.some((doc) => doc !== READ)) next.lazyDocuments.add(this);
  }

  /** The doc of a document in a later snapshot; `READ` if it is not there, and is kept here instead. */
  #moved(at: number, next: Snapshot): number {
    const doc = this.#docNumbers[at];
    if (doc === READ) return READ;
    try {
      const moved = this.#snapshot.docIn(next, doc);
      if (moved !== undefined) return moved;
      this.#kept.set(at, { fields: this.#snapshot.document(doc) });
    } catch (error) {
      this.#kept.set(at, { error });
    }
    return READ;
  }
}
