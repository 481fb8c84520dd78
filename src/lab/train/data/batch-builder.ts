// Builds a batch, example by example. Every passage of a batch is a negative of every query but its own. A passage that is
// relevant to two queries of a batch would teach the wrong thing, so such examples never share a batch.

import { mulberry32 } from "../../../support/numbers/random.ts";
import {
  fromBins,
  negativesInOrder,
  negativesWithReplacement,
  positiveOf,
  seedFrom,
  type Turn,
} from "./choice.ts";
import type { ExampleTable } from "./examples.ts";

/** An example with the passages that were chosen for this batch. */
export interface Chosen {
  readonly example: number;
  readonly query: number;
  /** The positive, then the negatives. */
  readonly passages: readonly number[];
  /** For each negative: the teacher's score of the positive minus its score of the negative. */
  readonly margins?: readonly number[];
}

interface BatchBuilderOptions {
  readonly seed: number;
  /** Negatives per query. */
  readonly negatives: number;
  /** Number of all passages. Negatives are drawn from them if an example has none. */
  readonly passages: number;
}

/** The most draws per random negative before the example is given up for this batch. */
const TRIES = 100;
/** The position of a passage that is not among the example's own negatives. */
const NOT_LISTED = -1;

export class BatchBuilder {
  readonly chosen: Chosen[] = [];
  readonly #examples: ExampleTable;
  readonly #options: BatchBuilderOptions;
  readonly #queries = new Set<number>();
  readonly #passages = new Set<number>();
  /** Passages that are relevant to one of the queries. */
  readonly #judged = new Set<number>();

  constructor(examples: ExampleTable, options: BatchBuilderOptions) {
    this.#examples = examples;
    this.#options = options;
  }

  add(chosen: Chosen): void {
    this.chosen.push(chosen);
    this.#queries.add(chosen.query);
    for (const passage of chosen.passages) this.#passages.add(passage);
    for (const passage of this.#examples.judged(chosen.example)) this.#judged.add(passage);
  }

  /** Chooses passages for an example; undefined if the example cannot join this batch. */
  fit(example: number, epoch: number): Chosen | undefined {
    const query = this.#examples.query(example);
    const judged = this.#examples.judged(example);
    if (this.#queries.has(query) || judged.some((passage) => this.#passages.has(passage))) return undefined;
    const turn = { example, epoch, seed: this.#options.seed };
    const bins = this.#examples.bins(example);
    if (bins) return this.#chooseFromBins(bins, query, turn);
    const positives = this.#examples.positives(example);
    const at = positiveOf(positives.length, turn);
    if (this.#judged.has(positives[at])) return undefined;
    const negatives = this.#chooseNegatives(turn, judged);
    if (!negatives) return undefined;
    const scores = this.#examples.scores(example);
    return {
      example,
      query,
      passages: [positives[at], ...negatives.map(({ passage }) => passage)],
      ...(scores &&
        negatives.every(({ at: n }) => n !== NOT_LISTED) && {
          margins: negatives.map(({ at: n }) => scores.positives[at] - scores.negatives[n]),
        }),
    };
  }

  #chooseNegatives(turn: Turn, judged: Uint32Array): { at: number; passage: number }[] | undefined {
    const wanted = this.#options.negatives;
    if (wanted === 0) return [];
    const list = this.#examples.negatives(turn.example);
    const isIrrelevant = (passage: number) => !judged.includes(passage);
    const suits = (passage: number) => !this.#passages.has(passage) && !this.#judged.has(passage);
    // Positions in the list of passages that are not relevant to the query, each passage once.
    const usable = [...list.keys()].filter((at) => isIrrelevant(list[at]) && list.indexOf(list[at]) === at);
    if (usable.length === 0)
      return this.#drawRandom(turn, (passage) => isIrrelevant(passage) && suits(passage));
    if (usable.length >= wanted) {
      const order = negativesInOrder(usable.length, wanted, turn);
      const taken = Array.from(order, (i) => ({ at: usable[i], passage: list[usable[i]] }))
        .filter(({ passage }) => suits(passage))
        .slice(0, wanted);
      return taken.length === wanted ? taken : undefined;
    }
    const suiting = usable.filter((at) => suits(list[at]));
    if (suiting.length === 0) return undefined;
    const drawn = negativesWithReplacement(suiting.length, wanted, turn);
    return Array.from(drawn, (i) => ({ at: suiting[i], passage: list[suiting[i]] }));
  }

  #drawRandom(
    turn: Turn,
    suits: (passage: number) => boolean,
  ): { at: number; passage: number }[] | undefined {
    const random = mulberry32(seedFrom(turn.example + turn.seed, turn.epoch));
    const taken = new Set<number>();
    for (let tries = 0; tries < TRIES * this.#options.negatives; tries++) {
      const passage = Math.floor(random() * this.#options.passages);
      if (suits(passage)) taken.add(passage);
      if (taken.size === this.#options.negatives)
        return Array.from(taken, (passage) => ({ at: NOT_LISTED, passage }));
    }
    return undefined;
  }

  #chooseFromBins(
    bins: NonNullable<ReturnType<ExampleTable["bins"]>>,
    query: number,
    turn: Turn,
  ): Chosen | undefined {
    const { positive, negatives, margins } = fromBins(bins, this.#options.negatives, turn);
    const [positives, list] = [
      this.#examples.positives(turn.example),
      this.#examples.negatives(turn.example),
    ];
    const passages = [positives[positive], ...negatives.map((at) => list[at])];
    if (passages.some((passage) => this.#passages.has(passage) || this.#judged.has(passage)))
      return undefined;
    return { example: turn.example, query, passages, margins };
  }
}
