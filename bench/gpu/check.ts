// Compares the device's answers with the definition, on a sample of documents that are made again on the host.

import type { QueryRow } from "../../src/densify/rows.ts";
import { gatedInnerProducts } from "../../src/rank/definition.ts";
import type { DeviceAnswer } from "../../src/scan/webgpu/device-plan.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import type { GpuShape } from "./shape.ts";

interface Checked {
  /** Documents compared: the returned ones, and random others. */
  readonly returned: number;
  readonly others: number;
  /** The largest difference of a score, and the stated bound. */
  readonly difference: number;
  readonly bound: number;
  /** How many of the others should have been returned. */
  readonly missed: number;
}

export function check(shape: GpuShape, query: QueryRow, answer: DeviceAnswer, others: number): Checked {
  const scores = (docs: ArrayLike<number>) => gatedInnerProducts(query, shape.rows(docs));
  const own = scores(answer.docs);
  let difference = 0;
  for (let i = 0; i < own.length; i++) difference = Math.max(difference, Math.abs(own[i] - answer.scores[i]));
  const returned = new Set(answer.docs);
  const random = mulberry32(3);
  const drawn = Array.from({ length: others }, () => Math.floor(random() * shape.docs)).filter(
    (d) => !returned.has(d),
  );
  const last = answer.scores[answer.scores.length - 1] + 2 * answer.error;
  const missed = scores(drawn).filter((score) => score > last).length;
  return { returned: own.length, others: drawn.length, difference, bound: answer.error, missed };
}
