// Counts the documents and bytes that readers of files pass on, and the files that they leave out.

import { type EmptiedFile, isEmptiedFile } from "../../documents/emptied-file.ts";
import type { Document } from "../../index.ts";
import type { Skipped } from "../../read/folder.ts";
import { formatCount } from "../terminal/format.ts";

/** Counts what was read and what was skipped: for the progress line, and for the summary at the end. */
export class ReadCounts {
  readonly #skipped: Partial<Record<Skipped, number>> = {};
  #documents = 0;
  #bytes = 0;
  #allBytes: number | undefined;

  readonly onBytes = (bytes: number): void => {
    this.#bytes += bytes;
  };

  /** Passes documents through, and counts them. */
  async *countDocuments(
    documents: AsyncIterable<Document | EmptiedFile>,
    allBytes: () => Promise<number | undefined>,
  ): AsyncGenerator<Document | EmptiedFile> {
    // The reader reports a missing file.
    this.#allBytes = await allBytes().catch(() => undefined);
    for await (const document of documents) {
      if (!isEmptiedFile(document)) this.#documents++;
      yield document;
    }
  }

  /**
   * Estimates the number of documents from the share of bytes read so far. More may be done than were read: with --passages, the
   * library cuts them.
   */
  readonly estimate = (done: number): number | undefined =>
    this.#allBytes && this.#bytes
      ? Math.max(this.#documents, done) / Math.min(1, this.#bytes / this.#allBytes)
      : undefined;

  readonly onSkip = (_name: string, why: Skipped): void => {
    this.#skipped[why] = (this.#skipped[why] ?? 0) + 1;
  };

  /** A line such as "skipped: 3 hidden, 1 binary, 12 other files"; empty when nothing was skipped. */
  skippedText(): string {
    const counts = Object.entries(this.#skipped).map(([why, count]) => `${formatCount(count)} ${why}`);
    return counts.length === 0 ? "" : `skipped: ${counts.join(", ")} files\n`;
  }

  /** What was skipped, as `--json` prints it. */
  skippedFields(): { skipped?: Partial<Record<Skipped, number>> } {
    return Object.keys(this.#skipped).length === 0 ? {} : { skipped: this.#skipped };
  }
}
