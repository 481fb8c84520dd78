import fc from "fast-check";
import { expect, test } from "vitest";
import { roundToFloat16 } from "../../support/numbers/float16.ts";
import { buildFieldLists, FieldLists, joinFieldLists } from "./field-lists.ts";

const FIELDS = 3;
const TERMS = 12;

/** A document: by term, how often each field has it, and the factor. */
const document = fc
  .uniqueArray(
    fc.tuple(
      fc.nat(TERMS - 1),
      fc
        .tuple(...Array.from({ length: FIELDS }, () => fc.oneof(fc.nat(2), fc.nat(100_000))))
        .filter((counts) => counts.some((count) => count > 0)),
      fc.oneof(fc.constant(1), fc.float({ min: 0, max: 4, noNaN: true })).map(roundToFloat16),
    ),
    { maxLength: 8, selector: ([id]) => id },
  )
  .chain((terms) =>
    fc.record({
      terms: fc.constant(terms),
      more: fc.tuple(...Array.from({ length: FIELDS }, () => fc.nat(300))),
    }),
  );
type Given = typeof document extends fc.Arbitrary<infer T> ? T : never;

const lengthsOf = ({ terms, more }: Given) =>
  more.map((unknown, field) => terms.reduce((sum, [, counts]) => sum + counts[field], unknown));

const listsOf = (given: readonly Given[]) =>
  buildFieldLists(
    given.map((each) => ({
      ids: each.terms.map(([id]) => id),
      counts: each.terms.flatMap(([, counts]) => counts),
      factors: each.terms.map(([, , factor]) => factor),
      lengths: lengthsOf(each),
    })),
  );

function expectSame(lists: FieldLists, given: readonly Given[]): void {
  expect(lists.fields).toBe(FIELDS);
  expect([...lists.lengths]).toEqual(given.flatMap(lengthsOf));
  for (let id = 0; id < TERMS; id++) {
    const expected = given.flatMap(({ terms }, local) =>
      terms
        .filter(([other]) => other === id)
        .map(([, counts, factor]) => ({ local, counts: [...counts], factor })),
    );
    const { locals, counts, factors } = lists.of(id) ?? { locals: [], counts: [] as never, factors: [] };
    expect(
      Array.from(locals, (local, i) => ({
        local,
        counts: [...counts.subarray(i * FIELDS, (i + 1) * FIELDS)],
        factor: factors[i],
      })),
    ).toEqual(expected);
  }
}

test("lists hold counts and lengths by field, packed and unpacked", () => {
  fc.assert(
    fc.property(fc.array(document, { minLength: 1, maxLength: 10 }), (given) => {
      const lists = listsOf(given);
      expectSame(lists, given);
      const { directory, lists: bytes } = lists;
      expectSame(FieldLists.unpack(directory, bytes, lists.packedLengths(), given.length), given);
    }),
  );
});

test("joined lists are those of the documents that are left", () => {
  const part = fc.array(fc.tuple(document, fc.boolean()), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
      const left = parts.flatMap((each) => each.filter(([, isKept]) => isKept).map(([given]) => given));
      fc.pre(left.length > 0);
      let next = 0;
      const joined = joinFieldLists(
        parts.map((each) => ({
          lists: listsOf(each.map(([given]) => given)),
          newLocal: Int32Array.from(each, ([, isKept]) => (isKept ? next++ : -1)),
        })),
      );
      expectSame(joined, left);
    }),
  );
});
