// Sorting in steps gives what sort() gives, and can be interrupted often.

import fc from "fast-check";
import { expect, test } from "vitest";
import { mulberry32 } from "../../support/numbers/random.ts";
import { sortInSteps } from "./sort-in-steps.ts";

function run(texts: readonly string[]): { sorted: string[]; steps: number } {
  const work = sortInSteps(texts);
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done) return { sorted: step.value, steps };
  }
}

test("any texts are in the order of sort(), repeated ones too", () => {
  const any = fc.array(fc.string({ unit: "grapheme", maxLength: 3 }), { maxLength: 50 });
  fc.assert(
    fc.property(any, (texts) => {
      expect(run(texts).sorted).toEqual([...texts].sort());
    }),
  );
});

test.for([0, 1, 1023, 1024, 1025, 2048, 2049, 5000])(
  "%i texts are sorted in steps of at most 1,024",
  (count) => {
    const random = mulberry32(count);
    const texts = Array.from({ length: count }, () => Math.floor(random() * 3000).toString(36));
    const { sorted, steps } = run(texts);
    expect(sorted).toEqual([...texts].sort());
    expect(steps).toBeGreaterThanOrEqual(Math.ceil(count / 1024));
  },
);
