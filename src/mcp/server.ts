// An index → an MCP server with three read-only tools, and with documents as resources.

import {
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { type Sluice, SluiceError } from "../index.ts";
import { readVersion } from "../support/environment/version.ts";
import { explainInput, explainOutput, explainText, runExplain } from "../tools/explain-tool.ts";
import { documentText, foundDocumentSchema } from "../tools/found-document.ts";
import { getInput, runGet } from "../tools/get-tool.ts";
import { runSearch, searchInput, searchOutput, searchText } from "../tools/search-tool.ts";
import type { ToolLimits } from "../tools/tool-limits.ts";

export interface McpOptions extends ToolLimits {
  /** What the documents are about; it tells the model when to search. */
  readonly about?: string | undefined;
  /** The version that clients see; that of the package by default. */
  readonly version?: string | undefined;
}

const READS_ONLY = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false };

/**
 * Creates a server for one connection, or for one request over HTTP. It answers from the newest commit of the index,
 * also of other processes, and never writes. You close the index yourself.
 */
export function createMcpServer(index: Sluice, options: McpOptions = {}): McpServer {
  const { about, version = readVersion(), ...limits } = options;
  const { docs, semanticDims } = index.info();
  const holds = about ?? "a collection of documents";
  const server = new McpServer(
    { name: "sluice", title: "Sluice search", version },
    {
      instructions: `Search in ${holds}: search finds documents, get returns a whole document, explain says why a document was found.`,
    },
  );
  /** Answers from the newest commit. An error that the model can fix is returned as text, so that it can call again. */
  const answered =
    <T>(answer: (input: T) => Promise<readonly [string, object]> | readonly [string, object]) =>
    async (input: T): Promise<CallToolResult> => {
      try {
        await index.refresh();
        const [text, structured] = await answer(input);
        return { content: [{ type: "text", text }], structuredContent: { ...structured } };
      } catch (error) {
        if (!(error instanceof SluiceError)) throw error;
        return { content: [{ type: "text", text: error.message }], isError: true };
      }
    };

  server.registerTool(
    "search",
    {
      title: "Search",
      description:
        `Searches ${docs.toLocaleString("en-US")} documents (${holds}) ` +
        `${semanticDims > 0 ? "by words and by meaning" : "by words"}. Returns the best first, with ids, scores and texts.`,
      inputSchema: searchInput(limits),
      outputSchema: searchOutput,
      annotations: { title: "Search", ...READS_ONLY },
    },
    answered(async (input) => {
      const output = await runSearch(index, input, limits);
      return [searchText(output), output];
    }),
  );
  server.registerTool(
    "explain",
    {
      title: "Explain a score",
      description: "Explains the score of a document for a query: how much each term, and the meaning, adds.",
      inputSchema: explainInput,
      outputSchema: explainOutput,
      annotations: { title: "Explain a score", ...READS_ONLY },
    },
    answered(async (input) => {
      const output = await runExplain(index, input, limits);
      return [explainText(output), output];
    }),
  );
  server.registerTool(
    "get",
    {
      title: "Get a document",
      description: "Returns a document by its id: its whole text and its other fields.",
      inputSchema: getInput,
      outputSchema: foundDocumentSchema,
      annotations: { title: "Get a document", ...READS_ONLY },
    },
    answered(async (input) => {
      const output = await runGet(index, input, limits);
      return [documentText(output), output];
    }),
  );

  server.registerResource(
    "index",
    "sluice://index",
    { title: "About this index", description: "Documents, settings and size", mimeType: "application/json" },
    async (uri) => {
      await index.refresh();
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
      await index.refresh();
      try {
        const text = documentText(await runGet(index, { id: decodeURIComponent(String(id)) }, limits));
        return { contents: [{ uri: uri.href, mimeType: "text/plain", text }] };
      } catch (error) {
        if (!(error instanceof SluiceError) && !(error instanceof URIError)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
      }
    },
  );
  return server;
}
