// A plan. If an answer says that it is exact, its scores are those of the exact plan.

import type { Plan } from "../../../src/query/plan/plan.ts";
import { planSchema } from "../../../src/schemas/requests/plan-schema.ts";
import { parseJson } from "../../../src/support/files/json.ts";
import { smallIndex } from "../contract/fixture.ts";
import { requireSame, type Target, textOf, WrongAnswer } from "../contract/target.ts";

const index = await smallIndex();
const QUERY = { text: "water gate lock", vector: [1, 0.5, -0.25, 2] };
const scores = async (plan: Plan) => {
  const answer = await index.search(QUERY, { plan, k: 7, lambda: 0.5 });
  return { answer, scores: answer.hits.map(({ score }) => score) };
};
const exact = await scores({ kind: "exact" });

export const target: Target = {
  name: "plan",
  form: "json",
  longest: 512,
  seeds: () =>
    [
      { kind: "auto" },
      { kind: "exact" },
      { kind: "pruned", theta: 0.3, candidates: 10, rescore: true },
      { kind: "pruned", mass: 0.5, semanticSelection: "magnitude", rescore: false },
      { kind: "inner-product", candidates: 3 },
      { kind: "quantized", candidates: 12 },
    ].map((plan) => JSON.stringify(plan)),
  async run(bytes) {
    const plan = parseJson(textOf(bytes), "the plan") as Plan;
    const isAllowed = planSchema.safeParse(plan).success;
    try {
      const found = await scores(plan);
      if (found.answer.stats.exact) requireSame("scores", found.scores, exact.scores);
    } catch (error) {
      if (isAllowed) throw new WrongAnswer(`the schema allows a plan that is refused: ${error}`);
      throw error;
    }
  },
};
