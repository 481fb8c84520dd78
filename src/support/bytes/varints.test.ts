import fc from "fast-check";
import { expect, test } from "vitest";
import { packVarints, unpackVarints } from "./varints.ts";

test("numbers of 32 bits come back, small ones in a byte", () => {
  const number = fc.oneof(fc.nat(127), fc.nat(20_000), fc.integer({ min: 0, max: 0xffff_ffff }));
  fc.assert(
    fc.property(fc.array(number), (list) => {
      const numbers = Uint32Array.from(list);
      const bytes = packVarints(numbers);
      if (list.every((number) => number < 128)) expect(bytes).toHaveLength(list.length);
      const read = new Uint32Array(list.length + 1);
      unpackVarints(bytes, read);
      expect([...read]).toEqual([...list, 0]);
    }),
  );
});
