// The documents of the buffer → a segment that no commit names yet, and compressed groups for the database.

import { type CodeOptions, layOut, layOutWithVectors } from "../../segment/layout.ts";
import { toSegmentParts } from "../../segment/segment-file.ts";
import type { Medium } from "../../store/medium/medium.ts";
import { PROGRESS_STEP } from "../../support/options/progress.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import { Turns, waitForTurn } from "../../support/work/turns.ts";
import type { Lexicon } from "../collect/lexicon.ts";
import type { Pending } from "../collect/pending.ts";
import { Packer } from "./packer.ts";
import { SegmentBuilder } from "./segment-builder.ts";

/** Where segments and groups go. */
interface SegmentTarget extends Pick<Medium, "storedSegments" | "database" | "pool" | "isDurable"> {
  readonly quantize: CodeOptions | undefined;
  /** Dictionaries with lower serial numbers are not used: they belong to an index that is to be replaced. */
  readonly firstDictionary: number;
  newName(): string;
}

export class SegmentWriter {
  readonly #pending: Pending;
  readonly #target: SegmentTarget;
  readonly #packer: Packer;

  constructor(pending: Pending, target: SegmentTarget) {
    this.#pending = pending;
    this.#target = target;
    this.#packer = new Packer(pending, target);
  }

  /** Gives the thread its next task, if enough documents came since the last. */
  packNext(): void {
    this.#packer.packNext();
  }

  /** Writes all documents of the buffer to a segment. The lexicon has a cell for each of their terms. */
  async write(lexicon: Lexicon, semanticDims: number, { onProgress, signal }: WorkOptions): Promise<void> {
    const pending = this.#pending;
    const { buffer } = pending;
    const { storedSegments, pool, quantize, newName } = this.#target;
    this.#packer.packRest();
    const vectors = { docs: buffer.docs, semanticDims, semantic: buffer.vectors(semanticDims) };
    const vectorsLayout = semanticDims > 0 ? this.#packer.pool()?.layOutVectors(vectors) : undefined;
    const builder = new SegmentBuilder(lexicon.slicing, lexicon.weighting(), {
      docs: buffer.docs,
      terms: buffer.terms,
      quantize,
    });
    let done = 0;
    for (const document of buffer.documents()) {
      builder.add(document);
      if (++done % PROGRESS_STEP !== 0 && done !== buffer.docs) continue;
      onProgress?.({ task: "densifying", done, total: buffer.docs });
      await waitForTurn();
      signal?.throwIfAborted();
    }
    const content = await new Turns(signal).run(builder.finishInSteps(vectors, buffer.columns()));
    const layout = vectorsLayout
      ? await layOutWithVectors(content.rows, { quantize }, vectorsLayout)
      : layOut(content.rows, { quantize });
    const entry = await storedSegments.write(
      newName(),
      toSegmentParts(content, lexicon.slicing.settings, layout),
    );
    const groups = await this.#packer.finishGroups();
    const source = pool.acquire(entry);
    pending.segments.push({ entry, source });
    pending.unsaved.push(...groups);
    // Documents that a call replaced are written as deleted ones: they come back if the call fails.
    for (const serial of buffer.hidden()) {
      pending.markDeleted({ entry, source, deleted: undefined }, source.localOf(serial)!);
    }
  }

  /** Begins with a new buffer. */
  restart(): void {
    this.#packer.restart();
  }

  /** Releases the segments that were written, and the thread. */
  async release(): Promise<void> {
    for (const { source } of this.#pending.segments) this.#target.pool.release(source);
    await this.#packer.close();
  }
}
