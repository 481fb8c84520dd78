// The AI SDK's mock model calls the search tool, as a real model would.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, test } from "vitest";
import { Sluice } from "../index.ts";
import { createTools, explainTool, getTool, type SearchOutput, searchTool } from "./index.ts";

const index = await Sluice.build(
  [
    { id: "1", title: "Lock", text: "A chamber that raises boats", year: 1500 },
    { id: "2", title: "Sluice", text: "A gate that controls water", year: 1600 },
  ],
  { encoder: "none" },
);

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls the tool once with this input, then repeats the result. */
function calling(input: object, toolName = "search") {
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1)!;
      if (last.role !== "tool") {
        const call = { toolCallId: "1", toolName, input: JSON.stringify(input) };
        return {
          content: [{ type: "tool-call", ...call }],
          finishReason: { unified: "tool-calls", raw: undefined },
          usage,
          warnings: [],
        };
      }
      const text = JSON.stringify(last.content);
      return {
        content: [{ type: "text", text }],
        finishReason: { unified: "stop", raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

async function ask(input: object, options = {}) {
  const model = calling(input);
  const { steps, text } = await generateText({
    model,
    prompt: "what controls water?",
    tools: { search: searchTool(index, { about: "a canal", ...options }) },
    stopWhen: stepCountIs(2),
  });
  const results = steps[0].content.filter(({ type }) => type === "tool-result" || type === "tool-error");
  return { model, text, result: results[0] as { type: string; output?: SearchOutput; error?: unknown } };
}

test("the model sees the tool, calls it, and reads the hits", async () => {
  const { model, text, result } = await ask({ query: "controls water", k: 1 });
  expect(model.doGenerateCalls[0].tools?.[0]).toMatchObject({
    name: "search",
    description: expect.stringContaining("a canal"),
    inputSchema: { required: ["query"] },
  });
  const { hits } = await index.search("controls water", { k: 1 });
  expect(result.output?.hits).toHaveLength(1);
  expect(result.output?.hits[0]).toMatchObject({ id: "2", score: hits[0].score, fields: { year: 1600 } });
  expect(text).toContain("A gate that controls water");
});

test("hits match both the program's filter and the model's", async () => {
  const query = "chamber gate";
  const found = async (filter: object | undefined, own: object) =>
    (await ask({ query, ...(filter && { filter }) }, own)).result.output?.hits.map(({ id }) => id);
  expect(await found(undefined, {})).toHaveLength(2);
  expect(await found({ year: { lt: 1700 } }, { filter: { year: { gt: 1550 } } })).toEqual(["2"]);
});

test("the program's filter holds for whole documents, too", async () => {
  const get = async (id: string) => {
    const { steps } = await generateText({
      model: calling({ id }, "get"),
      prompt: "any",
      tools: { get: getTool(index, { filter: { year: { gt: 1550 } } }) },
      stopWhen: stepCountIs(2),
    });
    return steps[0].content.find(({ type }) => type === "tool-result" || type === "tool-error");
  };
  expect(await get("2")).toMatchObject({ type: "tool-result", output: { id: "2" } });
  const excluded = await get("1");
  expect(excluded).toMatchObject({ type: "tool-error" });
  expect(String((excluded as { error?: unknown }).error)).toContain('no document has the id "1"');
});

test("one filter holds for all tools that are made together", async () => {
  const { search, get, explain } = createTools(index, { filter: { year: { gt: 1550 } } });
  const options = {} as never;
  const { hits } = (await search.execute!(
    { query: "chamber gate", k: 5, offset: 0 },
    options,
  )) as SearchOutput;
  expect(hits.map(({ id }) => id)).toEqual(["2"]);
  expect(await get.execute!({ id: "2" }, options)).toMatchObject({ id: "2" });
  await expect(get.execute!({ id: "1" }, options)).rejects.toThrow("no document has the id");
  await expect(explain.execute!({ query: "gate", id: "1" }, options)).rejects.toThrow(
    "no document has the id",
  );
});

test("a model calls tools that are made together", async () => {
  const { steps } = await generateText({
    model: calling({ query: "chamber gate" }),
    prompt: "any",
    tools: createTools(index, { about: "a canal", filter: { year: { gt: 1550 } } }),
    stopWhen: stepCountIs(2),
  });
  expect(steps[0].content.find(({ type }) => type === "tool-result")).toMatchObject({
    output: { hits: [{ id: "2" }] },
  });
});

test.each([
  [{ query: 7 }, "expected string, received number"],
  [{ query: "x", k: 1e9 }, "Too big: expected number to be <=100"],
  [{ query: "x", page: 2 }, 'there is no \\"page\\"; did you mean \\"offset\\"?'],
  [{ query: "water", filter: { year: { near: 1 } } }, "no operator"],
])("%j is an error that the model sees", async (input, message) => {
  const { result } = await ask(input);
  expect(result.type).toBe("tool-error");
  expect(String(result.error)).toContain(message);
});

test("the model reads that only words were searched", async () => {
  const own = await Sluice.build([{ id: "1", text: "A gate that controls water", vector: [1, 0] }], {
    encoder: "none",
  });
  const { text } = await generateText({
    model: calling({ query: "gate" }),
    prompt: "any",
    tools: { search: searchTool(own) },
    stopWhen: stepCountIs(2),
  });
  expect(text).toContain("Note: answered by words only");
});

test("the model gets the whole document whose text search cut", async () => {
  const long = await Sluice.build([{ id: "long", text: "gate ".repeat(500).trim(), year: 1 }], {
    encoder: "none",
  });
  const tools = { search: searchTool(long), get: getTool(long) };
  const outputOf = async (model: ReturnType<typeof calling>) => {
    const { steps, text } = await generateText({ model, prompt: "any", tools, stopWhen: stepCountIs(2) });
    return {
      result: steps[0].content.find(({ type }) => type.startsWith("tool-") && type !== "tool-call"),
      text,
    };
  };
  const cut = await outputOf(calling({ query: "gate" }));
  expect(cut.result).toMatchObject({ output: { hits: [{ id: "long", isCut: true }] } });
  const whole = await outputOf(calling({ id: "long" }, "get"));
  expect(whole.result).toMatchObject({
    output: { id: "long", text: "gate ".repeat(500).trim(), fields: { year: 1 } },
  });
  expect(whole.text).toContain("gate ".repeat(400));
  const none = await outputOf(calling({ id: "nobody" }, "get"));
  expect(none.result).toMatchObject({ type: "tool-error" });
  await long.close();
});

test("the model is told why a document was found", async () => {
  const explain = explainTool(index, { filter: { year: { gt: 1550 } } });
  const options = {} as never;
  const output = await explain.execute!({ query: "gate", id: "2" }, options);
  expect(output).toMatchObject({ id: "2", matched: [{ term: "gate" }], missed: [] });
  await expect(explain.execute!({ query: "gate", id: "1" }, options)).rejects.toThrow(
    "no document has the id",
  );
});

test("each call sees the newest commit", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "sluice-ai-")), "index");
  await using writer = await Sluice.open(folder, { encoder: "none" });
  await writer.add([{ id: "1", text: "a gate" }]);
  await writer.commit();
  await using searched = await Sluice.open(folder, { readOnly: true });
  const get = getTool(searched);
  await expect(get.execute!({ id: "2" }, {} as never)).rejects.toThrow("no document has the id");
  await writer.add([{ id: "2", text: "a lock" }]);
  await writer.commit();
  expect(await get.execute!({ id: "2" }, {} as never)).toMatchObject({ id: "2", text: "a lock" });
});
