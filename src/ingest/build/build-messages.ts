// Messages between the main thread and the build thread: tasks, replies, and an array that both see. They have a file of
// their own because build-pool.ts starts build-thread.ts, so neither may import the other.

import type { Rows, Vectors } from "../../densify/rows.ts";
import type { CodeOptions } from "../../segment/layout.ts";
import type { Dictionary } from "../../store/packed/dictionary.ts";

/** A task for the thread. */
export type BuildTask =
  | {
      readonly kind: "pack";
      readonly serials: Float64Array;
      /** By document: the end of its JSON. */
      readonly ends: Uint32Array;
      readonly json: Uint8Array;
      readonly dictionary: Dictionary | undefined;
    }
  | { readonly kind: "layOutVectors"; readonly vectors: Vectors }
  | { readonly kind: "layOut"; readonly rows: Rows; readonly quantize: CodeOptions | undefined };

/** Positions in an array that both threads share. */
export const BUILD_STATE = {
  /** 1 if the thread is to stop. */
  stop: 0,
  /** 1 while the thread is inside zlib. Terminating it there would end the process. */
  packing: 1,
} as const;

/** Replies come in the order of the tasks. */
export type BuildReply = { readonly result: unknown } | { readonly error: Error };
