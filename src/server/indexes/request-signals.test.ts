// The signal of a request reaches the library: a request that was given up stops there.

import { expect, test, vi } from "vitest";
import { Sluice } from "../../index.ts";
import { explainQueryRequestSchema, explainRequestSchema } from "../../schemas/requests/search-requests.ts";
import { DEFAULT_LIMITS } from "../wire/limits.ts";
import { answerExplain, answerExplainQuery } from "./answer-queries.ts";
import { ChangeQueue } from "./change-queue.ts";

const { signal } = new AbortController();

test("explain, explain-query and optimize pass the signal of the request on", async () => {
  const index = await Sluice.build([{ id: "a", text: "water gate" }], { encoder: "none" });
  const calls = [vi.spyOn(index, "explain"), vi.spyOn(index, "explainQuery"), vi.spyOn(index, "optimize")];
  const [asked, query] = [{ query: "gate", id: "a" }, { query: "gate" }];
  await answerExplain(index, explainRequestSchema.parse(asked), DEFAULT_LIMITS, signal);
  await answerExplainQuery(index, explainQueryRequestSchema.parse(query), DEFAULT_LIMITS, signal);
  await new ChangeQueue(index, { transactionMs: 1000, waitMs: 1000 }).optimize(() => {}, signal);
  for (const call of calls) {
    expect(call).toHaveBeenCalledOnce();
    expect(call.mock.calls[0].at(-1)).toMatchObject({ signal });
  }
  await index.close();
});
