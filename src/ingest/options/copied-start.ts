// The start of a new index that copies another one: it takes over the settings and, if they are known, the terms. It has no
// documents yet.

import type { Analyzer } from "../../analyze/contract/analyzer.ts";
import type { Slicing } from "../../densify/slicing.ts";
import { Encoder } from "../../encode/encoder.ts";
import type { Weighting } from "../../weigh/weighting.ts";
import { NewIndex } from "./new-index.ts";
import type { IndexStart } from "./row-rules.ts";

/** @internal */
export class CopiedStart extends NewIndex {
  readonly #start: IndexStart;

  constructor(start: IndexStart) {
    super({}, Encoder.open);
    this.#start = start;
  }

  override requireStart(): IndexStart {
    return this.#start;
  }

  override async decide(): Promise<void> {}
}

/** @internal A weighting with no documents counted. */
export function resetStatistics(
  weighting: { kind: "weights"; analyzer: Analyzer } | Omit<Weighting & { kind: "bm25" }, "statistics">,
  slicing: Slicing,
): Weighting {
  if (weighting.kind === "weights") return weighting;
  const documentFrequencies = new Uint32Array(slicing.vocabulary.size);
  const { textFields } = weighting;
  const fieldLengths = textFields?.map(() => 0);
  const statistics = { docs: 0, length: 0, documentFrequencies, ...(fieldLengths && { fieldLengths }) };
  return { ...weighting, statistics };
}
