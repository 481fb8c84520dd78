// sluice/ai: an index → a search tool for the AI SDK. Needs the package `ai`.

import { jsonSchema, type Tool, tool } from "ai";
import type { Sluice } from "../index.ts";
import {
  checkedSearchInput,
  type SearchInput,
  type SearchOutput,
  searchFor,
  searchText,
  TOOL_INPUT,
  type ToolLimits,
} from "../tools/tools.ts";

export type { FoundHit, SearchInput, SearchOutput, ToolLimits } from "../tools/tools.ts";

export interface SearchToolOptions extends ToolLimits {
  /** What the documents are about; it tells the model when to search. */
  about?: string;
}

/**
 * A tool that searches an index: `generateText({ model, tools: { search: searchTool(index) }, … })`. Your program gets the
 * hits with their scores; the model gets a short text. You close the index yourself.
 */
export function searchTool(
  index: Sluice,
  { about = "a collection of documents", ...limits }: SearchToolOptions = {},
): Tool<SearchInput, SearchOutput> {
  return tool({
    description: `Searches ${about}. Returns the best documents first, with ids, scores and texts.`,
    inputSchema: jsonSchema<SearchInput>(TOOL_INPUT.search as never, {
      validate: (value) => {
        try {
          return { success: true, value: checkedSearchInput(value) };
        } catch (error) {
          return { success: false, error: error as Error };
        }
      },
    }),
    execute: (input: SearchInput) => searchFor(index, input, limits),
    toModelOutput: ({ output }: { output: SearchOutput }) => ({ type: "text", value: searchText(output) }),
  });
}
