// Messages between the main thread and the thread of a table: what it opens, the texts that it gets, and its replies. They are
// apart, because table-pool.ts starts table-thread.ts, and neither may import the other.

import type { StaticDescription } from "../contract/description.ts";

/** The table that the thread opens. */
export interface TableFile {
  readonly path: string;
  readonly description: StaticDescription;
  readonly fingerprint: string;
}

/** Texts of documents. */
export type TableTask = readonly string[];

/** Replies come in the order of the tasks, after the one that says that the thread is ready. */
export type TableReply =
  | { readonly kind: "ready" }
  | {
      readonly kind: "encoded";
      /** One vector after another, as float16 bits. */
      readonly vectors: Uint16Array;
    };
