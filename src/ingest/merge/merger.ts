// Merges segments in the background, after commits. Other work runs in between. Only the commit that replaces the old segments
// waits its turn among the changes of the index.

import { type SegmentEntry, toSegmentParts } from "../../segment/segment-file.ts";
import { type SegmentState, toCommittedSegments } from "../../store/record/commit-record.ts";
import type { WorkOptions } from "../../support/options/work-options.ts";
import { layOutOnThread } from "../build/build-pool.ts";
import type { Writer } from "../write/writer.ts";
import { commitMerge, findNeighbors, findSegmentSerials } from "./commit-merge.ts";
import { chooseAll, chooseMerge } from "./merge-policy.ts";
import { mergeSegments } from "./merge-segments.ts";
import { regroupDocuments } from "./regroup.ts";

/** Runs work when all work before it is done. */
type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

/** Ends a merge that was stopped, or whose segments are gone. Nobody sees it. */
class GivenUp extends Error {}

export class Merger {
  readonly #writer: Writer;
  readonly #exclusive: Exclusive;
  readonly #onMerged: () => void;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #error: unknown;

  constructor(writer: Writer, exclusive: Exclusive, onMerged: () => void) {
    this.#writer = writer;
    this.#exclusive = exclusive;
    this.#onMerged = onMerged;
  }

  /** Begins to merge, if there is something to merge and no merge runs. */
  start(): void {
    if (this.#running || this.#isStopped || this.#error) return;
    if (!chooseMerge(toCommittedSegments(this.#writer.segments()))) return;
    this.#running = this.#run()
      .catch((error) => {
        if (!(error instanceof GivenUp)) this.#error = error;
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** The error of a merge in the background. It is returned only once. */
  takeError(): unknown {
    const error = this.#error;
    this.#error = undefined;
    return error;
  }

  /** Stops a merge that runs, and waits for its end. Nothing is lost: a merge changes no document. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Waits until no merge runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /**
   * Merges all segments, and weights rows again. Nothing else may use the writer in the meantime. A signal stops it between
   * two steps.
   */
  async mergeAll(options: WorkOptions): Promise<void> {
    const runs = chooseAll(toCommittedSegments(this.#writer.segments()));
    // From the last to the first, so that positions stay valid.
    for (const [from, to] of runs.reverse()) {
      const segments = this.#writer.segments().slice(from, to);
      await this.#merge(segments, { ...options, reweighs: true, exclusive: (work) => work() });
    }
  }

  async #run(): Promise<void> {
    for (;;) {
      const segments = this.#writer.segments();
      const choice = chooseMerge(toCommittedSegments(segments));
      if (!choice || this.#isStopped) return;
      await this.#merge(segments.slice(...choice), { reweighs: false, exclusive: this.#exclusive });
      this.#onMerged();
    }
  }

  async #merge(
    segments: readonly SegmentState[],
    how: WorkOptions & { reweighs: boolean; exclusive: Exclusive },
  ): Promise<void> {
    const writer = this.#writer;
    const { storedSegments } = writer.medium;
    const { snapshot } = writer.base!;
    snapshot.retain(); // its files and documents stay readable, whatever is committed in the meantime
    const name = writer.names.reserve();
    let entry: SegmentEntry | undefined;
    try {
      const content = await mergeSegments({
        segments,
        slicing: snapshot.slicing,
        weighting: snapshot.weighting,
        semanticDims: snapshot.semanticDims,
        fieldsOf: (serial) => snapshot.documentWith(serial), // also of documents that were deleted since
        reweighs: how.reweighs,
        onProgress: how.onProgress,
        checkpoint: () => {
          if (this.#isStopped) throw new GivenUp();
          how.signal?.throwIfAborted();
        },
      });
      const layout = content && (await layOutOnThread(content.rows, writer.quantize));
      entry =
        content &&
        (await storedSegments.write(name, toSegmentParts(content, snapshot.slicingSettings, layout!)));
      how.signal?.throwIfAborted();
      await how.exclusive(async () => {
        // A segment is gone if all its documents were deleted in the meantime.
        if (this.#isStopped || findNeighbors(segments, writer.segments()) < 0) throw new GivenUp();
        await commitMerge(writer, segments, entry);
      });
    } catch (error) {
      await writer.removeUnnamed([name]);
      throw error;
    } finally {
      writer.names.unreserve(name);
      snapshot.release();
    }
    if (entry) await this.#regroup(name, how);
  }

  /** Joins small groups of documents of a merged segment. */
  async #regroup(
    name: string,
    { reweighs, exclusive, signal }: WorkOptions & { reweighs: boolean; exclusive: Exclusive },
  ): Promise<void> {
    const writer = this.#writer;
    const { database } = writer.medium;
    const serials = findSegmentSerials(writer, name);
    if (!serials) return; // all its documents were deleted in the meantime
    const write = (work: () => void, bytes: number) =>
      exclusive(async () => {
        if (this.#isStopped || !findSegmentSerials(writer, name)) throw new GivenUp();
        signal?.throwIfAborted();
        writer.write(work, bytes);
      });
    await regroupDocuments({ database, ...serials, isThorough: reweighs, write });
  }
}
