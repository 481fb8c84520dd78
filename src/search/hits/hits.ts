// Ranked documents → the hits that a caller gets.
//
// A document is read when `document` is first used: an evaluation over a thousand hits needs only their ids. It can be read until
// the index is closed, whatever is committed meanwhile. `document` is still an own property, as in a plain object: a copy of a
// hit, by spread, clone or JSON, has it, too.

import type { Fields } from "../../documents/document.ts";
import type { ScoredDoc } from "../../rank/best-documents.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";
import type { Turns } from "../../support/work/turns.ts";
import type { Hit } from "./answer.ts";
import { LazyDocuments } from "./lazy-documents.ts";

class SnapshotHit implements Hit {
  readonly id: string;
  readonly score: number;
  readonly lexical: number;
  readonly semantic: number;
  declare readonly boost?: number;
  declare readonly document: Fields;
  readonly #documents: LazyDocuments;
  /** Its place in the answer, from 0. */
  readonly #at: number;
  #document: Fields | undefined;

  /**
   * All hits share one getter, and so their hidden class. With a getter made for each hit, a thousand of them took 0.6 ms instead
   * of 0.2.
   */
  static readonly #getter: PropertyDescriptor = {
    get(this: SnapshotHit) {
      this.#document ??= this.#documents.take(this.#at);
      return this.#document;
    },
    enumerable: true,
    configurable: true,
  };

  constructor(
    id: string,
    { score, lexical, semantic, boost }: ScoredDoc,
    documents: LazyDocuments,
    at: number,
  ) {
    this.#documents = documents;
    this.#at = at;
    this.id = id;
    this.score = score;
    this.lexical = lexical;
    this.semantic = semantic;
    if (boost !== undefined) this.boost = boost;
    Object.defineProperty(this, "document", SnapshotHit.#getter);
  }

  /** What console.log shows: the document, not a getter. */
  [Symbol.for("nodejs.util.inspect.custom")](): object {
    const parts = Object.keys(this).map((name) => [
      name,
      name === "document" ? this.#shown() : this[name as keyof SnapshotHit],
    ]);
    return Object.fromEntries(parts);
  }

  /** The document, or the reason why it cannot be read: the index may be closed, and printing must not fail. */
  #shown(): Fields {
    try {
      return this.document;
    } catch (error) {
      return { unreadable: (error as Error).message };
    }
  }
}

/** @internal The hits of each ranking. Many hits are made in turns. */
export async function createHits(
  snapshot: Snapshot,
  rankings: readonly (readonly ScoredDoc[])[],
  turns: Turns,
): Promise<Hit[][]> {
  const hits: Hit[][] = [];
  for (const ranked of rankings) {
    const lazy = new LazyDocuments(
      snapshot,
      ranked.map(({ doc }) => doc),
    );
    hits.push(ranked.map((scored, at) => new SnapshotHit(snapshot.idAt(scored.doc), scored, lazy, at)));
    if (turns.isDue) await turns.next();
  }
  return hits;
}
