// The inputs that are kept, in the folder of the tests. A corpus is a text file with a line of base64 for each input; an input that
// showed a fault is a file of its own.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class CorpusFiles {
  readonly #folder: string;

  /** `folder` is test/fuzz of the checkout. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  corpus(target: string): Uint8Array[] {
    const path = this.#corpusFile(target);
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => new Uint8Array(Buffer.from(line, "base64")));
  }

  keepCorpus(target: string, inputs: readonly Uint8Array[]): void {
    mkdirSync(join(this.#folder, "corpus"), { recursive: true });
    const lines = inputs.map((bytes) => `${Buffer.from(bytes).toString("base64")}\n`);
    writeFileSync(this.#corpusFile(target), lines.join(""));
  }

  crashers(target: string): { readonly name: string; readonly bytes: Uint8Array }[] {
    const folder = join(this.#folder, "crashers", target);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .sort()
      .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) }));
  }

  /** Writes an input that showed a fault, and returns the path of its file. */
  keepCrasher(target: string, bytes: Uint8Array): string {
    const folder = join(this.#folder, "crashers", target);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, createHash("sha256").update(bytes).digest("hex").slice(0, 12));
    writeFileSync(path, bytes);
    return path;
  }

  #corpusFile(target: string): string {
    return join(this.#folder, "corpus", `${target}.txt`);
  }
}
