// What an index on a cluster cannot have → an error, before anything is asked of the cluster. One table for `open`, which is
// asked for it by an option, and for a copy to a cluster, whose source may have it.

import type { OpenOptions } from "../open/open-options.ts";
import type { CandidateOptions } from "../query/plan/plan.ts";
import type { SearchOptions } from "../search/options/search-options.ts";
import type { Snapshot } from "../store/snapshot/snapshot.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { isObject, optionError, showValue } from "../support/options/options.ts";
import { textFieldsIn } from "../weigh/weighting.ts";

interface Limit {
  readonly option: keyof OpenOptions;
  /** What an index on a cluster does instead. */
  readonly problem: string;
  /** Whether the options ask for it. By default: whether the option is given. */
  isAsked?(options: OpenOptions): boolean;
  /** Whether an index in a folder or in memory has it, so that a copy would lose it. */
  isIn?(snapshot: Snapshot): boolean;
}

const LIMITS: readonly Limit[] = [
  {
    option: "positions",
    problem: "an index on a cluster does not keep positions",
    isAsked: ({ positions }) => positions === true,
    isIn: ({ keepsPositions }) => keepsPositions,
  },
  {
    option: "fieldWeights",
    problem: "an index on a cluster reads title and text as one text, and has no fieldWeights",
    isIn: ({ weighting }) => textFieldsIn(weighting) !== undefined,
  },
  {
    option: "quantize",
    problem: "an index on a cluster has no product codes",
    isIn: ({ quantize }) => quantize !== undefined,
  },
  {
    option: "kernel",
    problem: "an index on a cluster is not searched on a GPU: its nodes find the candidates",
    isAsked: ({ kernel }) => kernel === "webgpu",
  },
  { option: "gpu", problem: "an index on a cluster is not searched on a GPU: its nodes find the candidates" },
  {
    option: "threads",
    problem:
      "an index on a cluster is not searched by threads of this process: its nodes find the candidates",
    isAsked: ({ threads = 1 }) => threads > 1,
  },
  { option: "maxRowBytes", problem: "an index on a cluster has no rows in memory" },
];

/** Throws if the options of `open` ask for what an index on a cluster cannot have. */
export function refuseOptionsOnCluster(options: OpenOptions): void {
  const limit = LIMITS.find(
    ({ option, isAsked }) => options[option] !== undefined && (isAsked?.(options) ?? true),
  );
  if (limit)
    throw limitError(limit, (nameOf) => `leave out ${nameOf(limit.option)}, or keep the index in a folder`);
}

/** Throws if an index has what a copy on a cluster would lose. */
export function refuseUncopyable(snapshot: Snapshot): void {
  const limit = LIMITS.find(({ isIn }) => isIn?.(snapshot));
  if (limit) throw limitError(limit, `build the index again without ${limit.option}, and copy that one`);
}

/**
 * Options of a search that an index on a cluster refuses. Most of them need all documents of a segment at once. `syntax` may demand
 * words, which need positions or posting lists.
 */
const OPTIONS_REFUSED_ON_CLUSTER = [
  "boosts",
  "fieldWeights",
  "syntax",
  "match",
  "facets",
  "total",
  "among",
  "sort",
  "groupBy",
] as const satisfies readonly (keyof SearchOptions)[];

/** Throws if an index on a cluster does not take an option of a search, or cannot carry out the plan. */
export function refuseSearchOptions(options: SearchOptions): void {
  const refused = OPTIONS_REFUSED_ON_CLUSTER.find(
    (name) => options[name] !== undefined && options[name] !== false,
  );
  if (refused !== undefined) {
    throw new SluiceError(
      `an index on a cluster does not take the option ${refused}`,
      "leave it out, or pull the index into a folder",
    );
  }
  refusePlan(options.plan);
}

/** Throws if a cluster cannot carry out a plan. What else is wrong about it is said where plans are checked. */
function refusePlan(plan: SearchOptions["plan"]): void {
  const { kind, rescore } = isObject(plan) ? (plan as CandidateOptions & { kind?: unknown }) : { kind: plan };
  const hasOptions = isObject(plan) && rescore !== false;
  if (kind === undefined || kind === "auto" || kind === "exact" || (kind === "pruned" && hasOptions)) return;
  const lacking = kind !== "pruned" ? "" : isObject(plan) ? " without rescoring" : " without theta or mass";
  throw optionError(
    "plan",
    `an index on a cluster has no plan ${showValue(kind)}${lacking}`,
    'use "auto", "exact", or "pruned" with theta or mass: { "kind": "pruned", "theta": 0.3 }',
  );
}

function limitError(
  { problem, option }: Limit,
  hint: ConstructorParameters<typeof SluiceError>[1],
): SluiceError {
  return new SluiceError(problem, hint, "ERR_SLUICE_INVALID", option);
}
