// What the children of durability.test.ts and of the torture test do in each commit, and what the index holds after it. Both
// sides of a test compute it from a seed and the number of the commit alone.

import type { Document } from "../../src/documents/document.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";

const WORDS = [
  "gate",
  "water",
  "lock",
  "weir",
  "river",
  "boat",
  "flow",
  "canal",
  "sluice",
  "level",
  "art",
  "sea",
];

/** The id of the document that holds the number of its commit. */
export const COUNTER = "counter";

interface CommitScript {
  readonly deleted: readonly string[];
  readonly upserted: readonly Document[];
  /** Documents that are added first and rolled back. */
  readonly rolledBack: readonly Document[];
  readonly optimize: boolean;
}

/** The changes of one commit, given the ids before it. Other seeds give other changes. */
export function scriptOf(commit: number, ids: readonly string[], seed = 0): CommitScript {
  const random = mulberry32(seed * 1_000_003 + commit);
  const below = (n: number) => Math.floor(random() * n);
  const text = () => Array.from({ length: 1 + below(9) }, () => WORDS[below(WORDS.length)]).join(" ");
  const some = ids.filter((id) => id !== COUNTER && random() < 2 / ids.length);
  const [deleted, replaced] = [some.filter((_, i) => i % 2 === 0), some.filter((_, i) => i % 2 === 1)];
  const fresh = Array.from({ length: 1 + below(6) }, (_, i) => `${commit}-${i}`);
  const document = (id: string): Document => ({ id, text: `${text()} w${commit % 50}`, commit });
  return {
    deleted,
    upserted: [...replaced, ...fresh, COUNTER].map(document),
    rolledBack: commit % 7 === 3 ? [document("never"), document(COUNTER)] : [],
    optimize: commit % 29 === 28,
  };
}

/** What an index holds after commits 1 … n: id → fields. */
export class Expected {
  readonly documents = new Map<string, object>();
  commit = 0;
  readonly #seed: number;

  constructor(seed = 0) {
    this.#seed = seed;
  }

  get ids(): string[] {
    return [...this.documents.keys()];
  }

  copy(): Expected {
    const copy = new Expected(this.#seed);
    for (const [id, fields] of this.documents) copy.documents.set(id, fields);
    copy.commit = this.commit;
    return copy;
  }

  /** Moves on to a later commit. */
  to(commit: number): this {
    while (this.commit < commit) {
      const { deleted, upserted } = scriptOf(++this.commit, this.ids, this.#seed);
      for (const id of deleted) this.documents.delete(id);
      for (const { id, ...fields } of upserted) {
        this.documents.delete(id);
        this.documents.set(id, fields);
      }
    }
    return this;
  }
}
