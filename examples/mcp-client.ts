// An index as an MCP server for AI assistants, and a client that calls it. Most assistants start the server themselves, with
// `sluice mcp my-index`. Needs @modelcontextprotocol/server, /node and /client.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Sluice } from "sluice";
import { serveHttp } from "sluice/mcp";

const index = await Sluice.build([
  { id: "lock", title: "Lock", text: "A chamber that raises and lowers boats" },
  { id: "sluice", title: "Sluice", text: "A gate that controls the flow of water" },
]);
const serving = await serveHttp(index, { port: 0, about: "words of water engineering" });

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(serving.url)));
const { tools } = await client.listTools();
console.log("tools:", tools.map(({ name }) => name).join(", "));

const { content } = await client.callTool({
  name: "search",
  arguments: { query: "who controls water", k: 1 },
});
for (const part of content) if (part.type === "text") console.log(part.text);

await client.close();
await serving.close();
