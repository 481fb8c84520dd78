// What an answer says about demands and beginnings: those that a document does not meet, and those that were cut.

import { beforeAll, expect, test } from "vitest";
import { explanationText } from "../../src/cli/commands/search/explain-command.ts";
import { explainAnswerSchema } from "../../src/schemas/answers/explanation-schema.ts";
import { Sluice } from "../../src/sluice.ts";

const DOCUMENTS = [
  { id: "york", text: "a hotel in new york near a canal", kind: "city", year: 1900 },
  { id: "lock", text: "the lock of a canal raises boats", kind: "two words", year: 1950 },
];
let index: Sluice;
beforeAll(async () => {
  index = await Sluice.build(DOCUMENTS, { encoder: "none", positions: true });
});

test.each<readonly [string, string, readonly string[] | undefined]>([
  ["canal -lock", "lock", ["-lock"]],
  ["canal -lock", "york", undefined],
  ["canal +hotel -lock boats", "lock", ["+hotel", "-lock"]],
  ['canal "new york"~2 -boa*', "lock", ['"new york"~2', "-boa*"]],
  ["canal kind:city -year:1950 year:<1950", "lock", ["kind:city", "-year:1950", "year:<1950"]],
  ['canal -kind:"two words" year:1960..1970', "lock", ['-kind:"two words"', "year:1960..1970"]],
  ["canal lock", "lock", undefined],
])("explain of %s says what %s fails", async (query, id, failed) => {
  const explanation = await index.explain(query, id, { syntax: true });
  expect(explanation.failed).toEqual(failed);
  const { hits } = await index.search(query, { syntax: true });
  expect(hits.some((hit) => hit.id === id)).toBe(failed === undefined);
  expect(explainAnswerSchema.shape.failed.parse(explanation.failed)).toEqual(failed);
  const text = explanationText(explanation, { out() {}, err() {}, isTerminal: false, columns: 80 } as never);
  for (const demand of failed ?? []) expect(text).toContain(`${demand}: not met, so the document is no hit`);
});

test("a beginning with more completions than are taken is told", async () => {
  const many = Array.from({ length: 300 }, (_, i) => ({ id: `${i}`, text: `wo${i.toString(36)}x canal` }));
  const large = await Sluice.build(many, { encoder: "none" });
  const typed = await large.search("wo", { prefix: true, total: true });
  expect(typed.notices).toEqual([
    {
      code: "cut_beginning",
      message: expect.stringContaining(
        '"wo" stands for the 16 most frequent of 300 words that begin with it',
      ),
    },
  ]);
  expect(typed).toMatchObject({ total: 16, stats: { exact: false } });
  const starred = await large.search("wo*", { syntax: true, total: true });
  expect(starred.notices?.[0].message).toContain('"wo" stands for the 256 most frequent of 300 words');
  expect(starred).toMatchObject({ total: 256, stats: { exact: false } });
  expect((await large.explain("wo*", "1", { syntax: true })).notices).toEqual(starred.notices);
  const demanded = await large.search("canal +wo*", { syntax: true, total: true });
  expect(demanded.total).toBe(300);
  const few = await large.search("wo1*", { syntax: true, total: true });
  expect(few.notices).toBeUndefined();
  expect(few.stats.exact).toBe(true);
});
