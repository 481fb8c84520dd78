// sluice/mcp: an index → tools for AI assistants, over the Model Context Protocol. Needs @modelcontextprotocol/server, and
// for HTTP @modelcontextprotocol/node.

export type { ToolLimits } from "../tools/tool-limits.ts";
export { type HttpServing, type HttpServingOptions, serveHttp } from "./http.ts";
export { createMcpServer, type McpOptions } from "./server.ts";
