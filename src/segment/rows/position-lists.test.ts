import fc from "fast-check";
import { expect, test } from "vitest";
import { buildPositionLists, joinPositionLists, type PositionLists } from "./position-lists.ts";

/** A document: its occurrences in any order, some of them twice. */
const document = fc.array(fc.tuple(fc.nat(40), fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 2 ** 31 }))), {
  maxLength: 20,
});
const documents = fc.array(document, { maxLength: 12 });
type Documents = readonly (readonly (readonly [id: number, position: number])[])[];

function listsOf(given: Documents, withRepeats = false): PositionLists {
  const steps = buildPositionLists(
    given.map((each) => ({ ids: each.map(([id]) => id), positions: each.map(([, position]) => position) })),
    withRepeats,
  );
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The plain definition: term → document → positions. */
function defined(given: Documents, id: number): [local: number, positions: number[]][] {
  return given.flatMap((each, local): [number, number[]][] => {
    const positions = new Set(each.filter(([other]) => other === id).map(([, position]) => position));
    return positions.size === 0 ? [] : [[local, [...positions].sort((a, b) => a - b)]];
  });
}

function stored(lists: PositionLists, id: number): [number, number[]][] {
  const { locals, starts, positions } = lists.of(id) ?? { locals: [], starts: [], positions: [] as never };
  return Array.from(locals, (local, i) => [local, [...positions.subarray(starts[i], starts[i + 1])]]);
}

test("lists hold the positions of every term in every document", () => {
  fc.assert(
    fc.property(documents, (given) => {
      const lists = listsOf(given);
      for (let id = 0; id <= 41; id++) expect(stored(lists, id)).toEqual(defined(given, id));
    }),
  );
});

test("lists with repetitions hold a position for each occurrence, and give each position once, too", () => {
  fc.assert(
    fc.property(documents, (given) => {
      const once = listsOf(given, true);
      const lists = joinPositionLists([{ lists: once, newLocal: Int32Array.from(given, (_, i) => i) }]);
      for (let id = 0; id <= 41; id++) {
        expect(stored(lists, id)).toEqual(defined(given, id));
        const all = given.flatMap((each) =>
          each
            .filter(([other]) => other === id)
            .map(([, position]) => position)
            .sort((a, b) => a - b),
        );
        expect([...(lists.occurrences(id)?.positions ?? [])]).toEqual(all);
      }
    }),
  );
});

test("joined lists are those of the documents that are left", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.tuple(document, fc.boolean()), { maxLength: 6 }), { maxLength: 3 }),
      (parts) => {
        let next = 0;
        const joined = joinPositionLists(
          parts.map((part) => ({
            lists: listsOf(part.map(([each]) => each)),
            newLocal: Int32Array.from(part, ([, isKept]) => (isKept ? next++ : -1)),
          })),
        );
        const left = parts.flatMap((part) => part.filter(([, isKept]) => isKept).map(([each]) => each));
        for (let id = 0; id <= 41; id++) expect(stored(joined, id)).toEqual(defined(left, id));
      },
    ),
  );
});
