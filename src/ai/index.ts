// sluice/ai: an index → a search tool for the AI SDK. Needs the package `ai`.

import { type Tool, tool } from "ai";
import type { Searchable } from "../index.ts";
import {
  runSearch,
  type SearchInput,
  type SearchOutput,
  searchInput,
  searchText,
  type ToolLimits,
} from "../tools/search-tool.ts";

export type { FoundHit, SearchInput, SearchOutput, ToolLimits } from "../tools/search-tool.ts";

export interface SearchToolOptions extends ToolLimits {
  /** What the documents are about; it tells the model when to search. */
  readonly about?: string | undefined;
}

/**
 * A tool that searches an index: `generateText({ model, tools: { search: searchTool(index) }, … })`. Your program gets the
 * hits with their scores; the model gets a short text. The index may be a page's reader, too. You close it yourself.
 */
export function searchTool(
  index: Searchable,
  { about = "a collection of documents", ...limits }: SearchToolOptions = {},
): Tool<SearchInput, SearchOutput> {
  return tool({
    description: `Searches ${about}. Returns the best documents first, with ids, scores and texts.`,
    inputSchema: searchInput(limits),
    execute: (input: SearchInput) => runSearch(index, input, limits),
    toModelOutput: ({ output }: { output: SearchOutput }) => ({ type: "text", value: searchText(output) }),
  });
}
