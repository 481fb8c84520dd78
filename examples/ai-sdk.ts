// Tools for the AI SDK: the model searches, reads documents, and answers. Needs the package ai. With AI_GATEWAY_API_KEY in the
// environment a real model answers, by Vercel's gateway; without it, the SDK's mock calls search once.
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Sluice } from "sluice";
import { createTools } from "sluice/ai";

const index = await Sluice.build([
  { id: "lock", text: "A chamber that raises and lowers boats" },
  { id: "sluice", text: "A gate that controls the flow of water" },
]);

const usage = { inputTokens: {}, outputTokens: {} };
const result = (unified: string, content: object) =>
  ({ content: [content], finishReason: { unified, raw: "" }, usage, warnings: [] }) as never;
const call = { toolCallId: "1", toolName: "search", input: '{"query": "what controls water"}' };
const mock = new MockLanguageModelV3({
  doGenerate: [
    result("tool-calls", { type: "tool-call", ...call }),
    result("stop", { type: "text", text: "A sluice does." }),
  ],
});

const { text, steps } = await generateText({
  model: process.env.AI_GATEWAY_API_KEY ? "openai/gpt-5-mini" : mock, // or anthropic("…") of @ai-sdk/anthropic
  prompt: "What controls the flow of water?",
  // search; get, for a whole document, because search cuts long texts; and explain, which says why a document was found
  tools: createTools(index, { about: "words of water engineering", k: 3 }),
  stopWhen: stepCountIs(5),
});
for (const { output } of steps.flatMap(({ staticToolResults }) => staticToolResults))
  if ("hits" in output) console.log(output.hits[0].id, output.hits[0].text);
console.log(text);
