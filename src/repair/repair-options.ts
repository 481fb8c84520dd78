// The options and the report of a repair.

import type { IndexOptions } from "../ingest/options/index-options.ts";
import type { KnownOptions } from "../support/options/options.ts";
import { SAVE_OPTIONS, type SaveOptions } from "../support/options/save-options.ts";

/** How a damaged index is repaired. A signal stops the work until the new index is written; then that folder is as it was. */
export interface RepairOptions extends SaveOptions {
  /** The analyzer of the index: if it is one of your own, or if its settings are lost. */
  readonly analyzer?: IndexOptions["analyzer"];
  /** The encoder of the index, if its settings are lost. The new index then has the settings of a new one with these options. */
  readonly encoder?: IndexOptions["encoder"];
}

/** @internal */
export const REPAIR_OPTIONS: KnownOptions<RepairOptions> = { analyzer: true, encoder: true, ...SAVE_OPTIONS };

/** What a repair saved, and what it could not save. */
export interface Repair {
  /** How many documents the new index has. */
  readonly docs: number;
  /** Whether the new index has the settings of the damaged one. If not, they were lost, and it has the defaults. */
  readonly hasSettings: boolean;
  /** How many documents were encoded again, because their segment is damaged. */
  readonly encoded: number;
  /** Documents that are not in the new index, as far as their ids are known. */
  readonly lost: readonly { readonly id: string; readonly reason: string }[];
  /** How many more documents are lost whose ids are unknown. */
  readonly unnamed: number;
  /**
   * Documents of the new index that lack something which only a damaged segment had: the vector is 0 now, there are no weights, or
   * all factors of terms are 1.
   */
  readonly incomplete: readonly {
    readonly id: string;
    readonly missing: readonly ("vector" | "weights" | "termFactors")[];
  }[];
  /** What `verify` found in the damaged index. */
  readonly problems: readonly string[];
}
