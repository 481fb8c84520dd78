// Collects the distinct texts of a training set and numbers them.

import { UsageError } from "../../../errors.ts";
import type { TextSink } from "./examples.ts";
import type { Text } from "./training-lines.ts";

/** Texts that differ only in white space or case count as equal. */
class DistinctTexts {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  add(text: Text, where: string): number {
    if (typeof text !== "string") {
      throw new UsageError(
        `${where}: holds token ids, but an encoder reads texts`,
        "give the texts themselves",
      );
    }
    const key = text.trim().replace(/\s+/g, " ").toLowerCase();
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.length);
    return this.all.push(text) - 1;
  }
}

export class TextTable implements TextSink {
  readonly #queries = new DistinctTexts();
  readonly #passages = new DistinctTexts();

  get queries(): readonly string[] {
    return this.#queries.all;
  }

  get passages(): readonly string[] {
    return this.#passages.all;
  }

  query(text: Text, where: string): number {
    return this.#queries.add(text, where);
  }

  passage(text: Text, where: string): number {
    return this.#passages.add(text, where);
  }
}
