// sluice/ai: an index → tools for the AI SDK, the same as those of MCP: search, explain, and get for a whole document, one by one
// or all with one filter. Needs the package `ai`.

import { type Tool, tool } from "ai";
import type { Searchable, Sluice } from "../index.ts";
import {
  type ExplainInput,
  type ExplainOutput,
  explainInput,
  explainText,
  runExplain,
} from "../tools/explain-tool.ts";
import { documentText, type FoundDocument } from "../tools/found-document.ts";
import { type GetInput, getInput, runGet } from "../tools/get-tool.ts";
import {
  runSearch,
  type SearchInput,
  type SearchOutput,
  searchInput,
  searchText,
} from "../tools/search-tool.ts";
import type { ToolLimits } from "../tools/tool-limits.ts";

export type { ExplainInput, ExplainOutput } from "../tools/explain-tool.ts";
export type { FoundDocument } from "../tools/found-document.ts";
export type { GetInput } from "../tools/get-tool.ts";
export type { FoundHit, SearchInput, SearchOutput } from "../tools/search-tool.ts";
export type { ToolLimits } from "../tools/tool-limits.ts";

export interface SearchToolOptions extends ToolLimits {
  /** What the documents are about; it tells the model when to search. */
  readonly about?: string | undefined;
}

/** The tools of `createTools`, by the names that the model sees. */
export type IndexTools = {
  readonly search: Tool<SearchInput, SearchOutput>;
  readonly get: Tool<GetInput, FoundDocument>;
  readonly explain: Tool<ExplainInput, ExplainOutput>;
};

/**
 * All three tools over an index: `generateText({ model, tools: createTools(index, { filter }), … })`. The filter holds for each of
 * them, so the model sees nothing of a document that it excludes.
 */
export function createTools(index: Searchable, options: SearchToolOptions = {}): IndexTools {
  const { filter } = options;
  return {
    search: searchTool(index, options),
    get: getTool(index, { filter }),
    explain: explainTool(index, { filter }),
  };
}

/**
 * A tool that searches an index: `generateText({ model, tools: { search: searchTool(index) }, … })`. Your program gets the
 * hits with their scores; the model gets a short text. The index may be a page's reader, too. Each call of a tool sees the newest
 * commit, also of other processes. You close the index yourself.
 */
export function searchTool(
  index: Searchable,
  { about = "a collection of documents", ...limits }: SearchToolOptions = {},
): Tool<SearchInput, SearchOutput> {
  return tool({
    description: `Searches ${about}. Returns the best documents first, with ids, scores and texts.`,
    inputSchema: searchInput(limits),
    execute: async (input: SearchInput) => runSearch(await refreshIndex(index), input, limits),
    toModelOutput: ({ output }: { output: SearchOutput }) => ({ type: "text", value: searchText(output) }),
  });
}

/** A tool that explains why a document has its score: how much each term, and the meaning, adds. */
export function explainTool(
  index: Searchable,
  limits: Pick<ToolLimits, "filter"> = {},
): Tool<ExplainInput, ExplainOutput> {
  return tool({
    description: "Explains the score of a document for a query: how much each term, and the meaning, adds.",
    inputSchema: explainInput,
    execute: async (input: ExplainInput) => runExplain(await refreshIndex(index), input, limits),
    toModelOutput: ({ output }: { output: ExplainOutput }) => ({ type: "text", value: explainText(output) }),
  });
}

/**
 * A tool that returns a whole document by its id: a hit of `searchTool` has the first 1,000 characters of its text. `createTools`
 * gives the model both, with the same `filter`.
 */
export function getTool(
  index: Searchable,
  limits: Pick<ToolLimits, "filter"> = {},
): Tool<GetInput, FoundDocument> {
  return tool({
    description: "Returns a document by its id: its whole text and its other fields.",
    inputSchema: getInput,
    execute: async (input: GetInput) => runGet(await refreshIndex(index), input, limits),
    toModelOutput: ({ output }: { output: FoundDocument }) => ({ type: "text", value: documentText(output) }),
  });
}

/** The index at the newest commit. The reader of a page has no later one: its export does not change. */
async function refreshIndex(index: Searchable): Promise<Searchable> {
  if ("refresh" in index) await (index as Sluice).refresh();
  return index;
}
