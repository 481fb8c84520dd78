// A word that a query demands → the terms that meet the demand: the word itself, its corrections and completions if the options
// of the search ask for them, and for can* all words that begin with can.
//
// The words of the query are expanded here, and were expanded when its row was made (`QueryDensifier`). Only a search with
// demands and with typos or prefix does both, and the two differ: a row takes each piece of the text by itself, with a limit of
// words for each. One expansion for both would correct other words of a long query.

import { type Clause, clauseText, isBeginning } from "../../query/ask/clause.ts";
import type { PlainQuery } from "../../query/ask/query.ts";
import type { QueryPreparer } from "../../query/prepare/query-preparer.ts";
import type { Alternatives } from "../../query/words/expansion.ts";
import type { WordRules } from "../../query/words/word-options.ts";
import type { Snapshot } from "../../store/snapshot/snapshot.ts";

const NONE: Alternatives = new Map();

export class SpelledClauses {
  readonly #snapshot: Snapshot;
  readonly #preparer: QueryPreparer;
  /** What words of the query and of the clauses were corrected to, and the last word of the query completed to. */
  readonly #ofWords: Alternatives;
  /** By text: all terms that its last word may be the beginning of. They are looked up once. */
  readonly #completions = new Map<string, Alternatives>();

  /** `rules` are the search's rules for words. */
  constructor(
    snapshot: Snapshot,
    preparer: QueryPreparer,
    rules: WordRules | undefined,
    query: PlainQuery,
    must: readonly Clause[],
  ) {
    const texts = must.filter((clause) => typeof clause === "string" || "text" in clause).map(clauseText);
    const isSpelled = rules?.spells && texts.length > 0;
    this.#snapshot = snapshot;
    this.#preparer = preparer;
    this.#ofWords = isSpelled
      ? preparer.findAlternatives(snapshot, [query.text ?? "", ...texts], rules)
      : NONE;
  }

  ofMust(clause: Clause): Alternatives {
    return new Map([...this.#ofWords, ...this.#ofBeginning(clause)]);
  }

  /** A word that hits must not have is not corrected: it is meant as it was typed. */
  ofMustNot(clause: Clause): Alternatives {
    return this.#ofBeginning(clause);
  }

  /** A beginning such as can* stands for all words that begin with it, the rarest included. */
  #ofBeginning(clause: Clause): Alternatives {
    if (!isBeginning(clause)) return NONE;
    const text = clauseText(clause);
    const known = this.#completions.get(text) ?? this.#preparer.findCompletions(this.#snapshot, text);
    this.#completions.set(text, known);
    return known;
  }
}
