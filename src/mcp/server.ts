// An index → an MCP server with three read-only tools, and with documents as resources.

import {
  type CallToolResult,
  fromJsonSchema,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { type Sluice, UsageError } from "../index.ts";
import {
  documentText,
  explainFor,
  explainText,
  getFor,
  type SearchInput,
  searchFor,
  searchText,
  TOOL_INPUT,
  TOOL_OUTPUT,
  type ToolLimits,
} from "../tools/tools.ts";

export interface McpOptions extends ToolLimits {
  /** What the documents are about; it tells the model when to search. */
  about?: string;
  /** The version that clients see. */
  version?: string;
}

const READS_ONLY = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };

const inputs = {
  search: fromJsonSchema<SearchInput>(TOOL_INPUT.search as never),
  explain: fromJsonSchema<{ query: string; id: string }>(TOOL_INPUT.explain as never),
  get: fromJsonSchema<{ id: string }>(TOOL_INPUT.get as never),
};
const outputs = {
  search: fromJsonSchema(TOOL_OUTPUT.search as never),
  explain: fromJsonSchema(TOOL_OUTPUT.explain as never),
  get: fromJsonSchema(TOOL_OUTPUT.get as never),
};

/**
 * Creates a server for one connection, or for one request over HTTP. It answers from the newest commit of the index,
 * also of other processes, and never writes. You close the index yourself.
 */
export function createMcpServer(index: Sluice, options: McpOptions = {}): McpServer {
  const { about, version = "0", ...limits } = options;
  const { docs, semanticDims } = index.info();
  const holds = about ?? "a collection of documents";
  const server = new McpServer(
    { name: "sluice", title: "Sluice search", version },
    {
      instructions: `Search in ${holds}: search finds documents, get returns a whole document, explain says why a document was found.`,
    },
  );
  /** Every answer comes from the newest commit. */
  const refresh = () => index.refresh();

  server.registerTool(
    "search",
    {
      title: "Search",
      description:
        `Searches ${docs.toLocaleString("en-US")} documents (${holds}) ` +
        `${semanticDims > 0 ? "by words and by meaning" : "by words"}. Returns the best first, with ids, scores and texts.`,
      inputSchema: inputs.search,
      outputSchema: outputs.search,
      annotations: { title: "Search", ...READS_ONLY },
    },
    wrapTool(async (input: SearchInput) => {
      await refresh();
      const output = await searchFor(index, input, limits);
      return [searchText(output), output];
    }),
  );
  server.registerTool(
    "explain",
    {
      title: "Explain a score",
      description: "Explains the score of a document for a query: how much each term, and the meaning, adds.",
      inputSchema: inputs.explain,
      outputSchema: outputs.explain,
      annotations: { title: "Explain a score", ...READS_ONLY },
    },
    wrapTool(async (input: { query: string; id: string }) => {
      await refresh();
      const output = await explainFor(index, input);
      return [explainText(output), output];
    }),
  );
  server.registerTool(
    "get",
    {
      title: "Get a document",
      description: "Returns a document by its id: its whole text and its other fields.",
      inputSchema: inputs.get,
      outputSchema: outputs.get,
      annotations: { title: "Get a document", ...READS_ONLY },
    },
    wrapTool(async ({ id }: { id: string }) => {
      await refresh();
      const output = getFor(index, id);
      return [documentText(output), output];
    }),
  );

  server.registerResource(
    "index",
    "sluice://index",
    { title: "About this index", description: "Documents, settings and size", mimeType: "application/json" },
    async (uri) => {
      await refresh();
      const { segments, ...info } = index.info();
      const text = JSON.stringify({ ...info, segments: segments.length }, null, 2);
      return { contents: [{ uri: uri.href, mimeType: "application/json", text }] };
    },
  );
  server.registerResource(
    "document",
    // There are too many documents to list; search returns their ids.
    new ResourceTemplate("sluice://document/{id}", { list: undefined }),
    { title: "A document", description: "A document of the index, by its id", mimeType: "text/plain" },
    async (uri, { id }) => {
      await refresh();
      try {
        const text = documentText(getFor(index, decodeURIComponent(String(id))));
        return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
      } catch (error) {
        if (!(error instanceof UsageError) && !(error instanceof URIError)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
      }
    },
  );
  return server;
}

/** Wraps a tool. A `UsageError` is returned to the model as text, so that it can correct its call. */
function wrapTool<T>(answer: (input: T) => Promise<readonly [string, object]>) {
  return async (input: T): Promise<CallToolResult> => {
    try {
      const [text, structured] = await answer(input);
      return { content: [{ type: "text", text }], structuredContent: { ...structured } };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const text = error.hint ? `${error.message}: ${error.hint}` : error.message;
      return { content: [{ type: "text", text }], isError: true };
    }
  };
}
