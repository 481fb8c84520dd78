// A file of synonyms → the lists of a search. A line is a list: "car, automobile", or "laptop => computer" for one way only.
// Empty lines, and lines that begin with #, are left out.

import { SluiceError } from "../../index.ts";
import type { Synonyms } from "../../query/words/synonyms.ts";
import { readText } from "../../support/files/text-file.ts";
import { showValue } from "../../support/options/options.ts";

export async function readSynonyms(path: string): Promise<Synonyms[]> {
  const lines = (await readText(path)).split(/\r?\n/);
  return lines.flatMap((line, i) => {
    const text = line.trim();
    return text === "" || text.startsWith("#") ? [] : [parseLine(text, `${path}:${i + 1}`)];
  });
}

function parseLine(text: string, where: string): Synonyms {
  const [from, to, ...others] = text.split("=>").map(splitWords);
  const hasEmptyWord = [from, to ?? []].flat().includes("");
  if (others.length === 0 && !hasEmptyWord) {
    if (to === undefined && from.length > 1) return from;
    if (to !== undefined) return { from, to };
  }
  throw new SluiceError(
    `${where}: ${showValue(text)} is no list of synonyms`,
    "write words that mean the same, such as car, automobile, or laptop => computer for one way only",
  );
}

function splitWords(side: string): string[] {
  return side.split(",").map((word) => word.trim());
}
