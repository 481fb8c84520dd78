// Collects the distinct texts of a training set and numbers them.

import { SluiceError } from "../../../support/errors/sluice-error.ts";
import type { TextSink } from "./examples.ts";
import type { Text } from "./training-lines.ts";

export class TextTable implements TextSink {
  readonly queries: string[] = [];
  readonly passages: string[] = [];
  readonly #queryNumbers = new Map<string, number>();
  readonly #passageNumbers = new Map<string, number>();

  query(text: Text, where: string): number {
    return add(text, where, this.queries, this.#queryNumbers);
  }

  passage(text: Text, where: string): number {
    return add(text, where, this.passages, this.#passageNumbers);
  }
}

/** Returns the number of a text, a new one if it is new. Texts that differ only in white space or case count as equal. */
function add(text: Text, where: string, texts: string[], numbers: Map<string, number>): number {
  if (typeof text !== "string") {
    throw new SluiceError(
      `${where}: holds token ids, but an encoder reads texts`,
      "give the texts themselves",
    );
  }
  const key = text.trim().replace(/\s+/g, " ").toLowerCase();
  const number = numbers.get(key) ?? texts.push(text) - 1;
  numbers.set(key, number);
  return number;
}
