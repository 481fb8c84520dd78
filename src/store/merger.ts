// Merging in the background, after commits: reading and writing go on beside other work, a slice at a time; only the
// commit that puts the new segment in the place of the old ones waits its turn with the writer's other work.

import type { SegmentEntry } from "../segment/segment-file.ts";
import type { WorkOptions } from "../support/work-options.ts";
import type { SegmentState } from "./commit.ts";
import { committed } from "./commit.ts";
import { mergedSegment } from "./merge.ts";
import { chooseAll, chooseMerge } from "./merge-policy.ts";
import { regroup } from "./regroup.ts";
import { layOutBeside } from "./side.ts";
import type { Writer } from "./writer.ts";

/** Runs work when all work before it is done. */
type Exclusive = <T>(work: () => Promise<T>) => Promise<T>;

class GivenUp extends Error {}

export class Merger {
  readonly #writer: Writer;
  readonly #exclusive: Exclusive;
  readonly #onMerged: () => void;
  #running: Promise<void> | undefined;
  #stopped = false;
  #error: unknown;

  constructor(writer: Writer, exclusive: Exclusive, onMerged: () => void) {
    this.#writer = writer;
    this.#exclusive = exclusive;
    this.#onMerged = onMerged;
  }

  /** Begins to merge, where there is something to merge and nobody does already. */
  start(): void {
    if (this.#running || this.#stopped || this.#error) return;
    if (!chooseMerge(committed(this.#writer.segments()))) return;
    this.#running = this.#run()
      .catch((error) => {
        if (!(error instanceof GivenUp)) this.#error = error;
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** What went wrong in the background since this was last asked. */
  takeError(): unknown {
    const error = this.#error;
    this.#error = undefined;
    return error;
  }

  /** Gives up what runs, and waits until it has stopped. Nothing is lost: a merge changes no document. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Waits until nothing runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Merges everything, and weighs it again. The caller has the writer to itself. A signal stops it between two steps. */
  async all(options: WorkOptions): Promise<void> {
    const runs = chooseAll(committed(this.#writer.segments()));
    // From the end, so that the places of those before do not change.
    for (const [from, to] of runs.reverse()) {
      const segments = this.#writer.segments().slice(from, to);
      await this.#merge(segments, { ...options, reweigh: true, exclusive: (work) => work() });
    }
  }

  async #run(): Promise<void> {
    for (;;) {
      const segments = this.#writer.segments();
      const choice = chooseMerge(committed(segments));
      if (!choice || this.#stopped) return;
      await this.#merge(segments.slice(...choice), { reweigh: false, exclusive: this.#exclusive });
      this.#onMerged();
    }
  }

  async #merge(
    segments: readonly SegmentState[],
    how: WorkOptions & { reweigh: boolean; exclusive: Exclusive },
  ): Promise<void> {
    const writer = this.#writer;
    const { store } = writer.place;
    const { snapshot } = writer.base!;
    snapshot.retain(); // its files and its view of the documents, whatever is committed meanwhile
    const name = writer.reserve();
    let entry: SegmentEntry | undefined;
    try {
      const content = await mergedSegment({
        segments,
        slicing: snapshot.slicing,
        lexical: snapshot.lexical,
        semanticDims: snapshot.semanticDims,
        fieldsOf: (serial) => snapshot.documentWith(serial), // also of what was deleted since
        reweigh: how.reweigh,
        onProgress: how.onProgress,
        checkpoint: () => {
          if (this.#stopped) throw new GivenUp();
          how.signal?.throwIfAborted();
        },
      });
      const layout = content && (await layOutBeside(content.rows, writer.quantize));
      entry = content && (await store.write(name, content, snapshot.settings, layout!));
      how.signal?.throwIfAborted();
      await how.exclusive(async () => {
        if (this.#stopped || !writer.holds(segments)) throw new GivenUp(); // all of one was deleted meanwhile
        await writer.replaceSegments(segments, entry);
      });
    } catch (error) {
      await store.remove([name]);
      throw error;
    } finally {
      writer.unreserve(name);
      snapshot.release();
    }
    if (entry) await this.#regroup(name, how);
  }

  /** The documents of a segment that was merged are put in order, too. */
  async #regroup(
    name: string,
    { reweigh, exclusive, signal }: WorkOptions & { reweigh: boolean; exclusive: Exclusive },
  ): Promise<void> {
    const writer = this.#writer;
    const { database } = writer.place;
    const place = writer.serialsOf(name);
    if (!place) return; // all of it was deleted meanwhile
    const write = (work: () => void, bytes: number) =>
      exclusive(async () => {
        if (this.#stopped || !writer.serialsOf(name)) throw new GivenUp();
        signal?.throwIfAborted();
        writer.write(work, bytes);
      });
    await regroup({ database, ...place, thorough: reweigh, write });
  }
}
