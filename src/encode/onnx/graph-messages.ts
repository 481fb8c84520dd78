// Messages between the main thread and the thread that runs a graph. They have a file of their own because
// graph-pool.ts starts graph-thread.ts, so neither may import the other.

import type { ErrorCode } from "../../support/errors/sluice-error.ts";
import type { Provider } from "../contract/encoding.ts";
import type { GraphBatch, GraphOutputs } from "./graph-session.ts";

/** What the thread opens when it starts. */
export interface GraphFile {
  readonly path: string;
  /** The graph, if it is not the file's. */
  readonly bytes: Uint8Array | undefined;
  readonly threads: number;
  readonly provider: Provider;
}

/** A task for the thread. After `close` it ends. */
export type GraphTask = { readonly kind: "run"; readonly batch: GraphBatch } | { readonly kind: "close" };

/** Replies come in the order of the tasks. The first one is about the opening. An error of ours has a code. */
export type GraphReply =
  | {
      readonly kind: "opened";
      readonly inputNames: readonly string[];
      readonly outputNames: readonly string[];
    }
  | { readonly kind: "ran"; readonly outputs: GraphOutputs }
  | { readonly kind: "failed"; readonly message: string; readonly code: ErrorCode | undefined };
