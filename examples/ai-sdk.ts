// A search tool for the AI SDK: the model calls it and reads the hits. Needs the package ai. The model here is the SDK's mock.
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Sluice } from "sluice";
import { getTool, searchTool } from "sluice/ai";

const index = await Sluice.build([
  { id: "lock", text: "A chamber that raises and lowers boats" },
  { id: "sluice", text: "A gate that controls the flow of water" },
]);

const end = { warnings: [], usage: { inputTokens: {}, outputTokens: {} } as never };
const call = { toolCallId: "1", toolName: "search", input: '{"query": "what controls water"}' };
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) =>
    prompt.at(-1)?.role === "tool"
      ? {
          ...end,
          content: [{ type: "text", text: "A sluice does." }],
          finishReason: { unified: "stop", raw: "" },
        }
      : {
          ...end,
          content: [{ type: "tool-call", ...call }],
          finishReason: { unified: "tool-calls", raw: "" },
        },
});

const { text, steps } = await generateText({
  model, // openai("…"), anthropic("…"), …
  prompt: "What controls the flow of water?",
  tools: {
    search: searchTool(index, { about: "words of water engineering", k: 3 }),
    get: getTool(index), // a whole document; search cuts long texts
  },
  stopWhen: stepCountIs(3),
});
for (const { output } of steps.flatMap(({ staticToolResults }) => staticToolResults))
  if ("hits" in output) console.log(output.hits[0].id, output.hits[0].text);
console.log(text);
