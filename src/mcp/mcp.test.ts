// The official SDK's client against a real index, over both transports.

import { mkdtempSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCli, LONGEST_BUILD_MS } from "../../test/helpers/built.ts";
import { Sluice } from "../index.ts";
import { readVersion } from "../support/environment/version.ts";
import type { ExplainOutput } from "../tools/explain-tool.ts";
import type { FoundDocument } from "../tools/found-document.ts";
import type { SearchOutput } from "../tools/search-tool.ts";
import { type HttpServing, serveHttp } from "./index.ts";

const folder = join(mkdtempSync(join(tmpdir(), "sluice-mcp-")), "index");
const LONG = "flood ".repeat(400).trim();
const DOCUMENTS = [
  { id: "1", title: "Bauhaus", text: "A school of art founded in Weimar, moved to Dessau", year: 1919 },
  {
    id: "a b/ü",
    title: "Lock",
    text: "A chamber that raises and lowers boats between two levels of water",
    year: 1500,
  },
  { id: "3", title: "Sluice", text: "A gate that controls the flow of water", year: 1600 },
  { id: "long", text: LONG },
];

let serving: HttpServing;
let served: Sluice;

beforeAll(async () => {
  const index = await Sluice.open(folder, { encoder: "none", dims: "full" });
  await index.add(DOCUMENTS);
  await index.commit();
  await index.close();
  served = await Sluice.open(folder, { readOnly: true });
  serving = await serveHttp(served, { port: 0, about: "a few words" });
});

afterAll(async () => {
  await serving.close();
  await served.close();
});

const transports = {
  http: async () => new StreamableHTTPClientTransport(new URL(serving.url)),
  stdio: async () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [await builtCli(), "mcp", folder, "--about", "a few words"],
      stderr: "pipe",
    }),
};

test(
  "sluice mcp takes a filter, which holds for every tool, and a least score",
  async () => {
    const connect = async (flags: readonly string[]) => {
      const client = new Client({ name: "test", version: "1" });
      const args = [await builtCli(), "mcp", folder, ...flags];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" }));
      return client;
    };
    const found = async (flags: readonly string[]) => {
      const client = await connect(flags);
      const found = (await client.callTool({
        name: "search",
        arguments: { query: "water gate" },
      })) as CallToolResult;
      await client.close();
      return (found.structuredContent as unknown as SearchOutput).hits.map(({ id }) => id);
    };
    expect(await found([])).toEqual(["3", "a b/ü"]);
    expect(await found(["--filter", '{"year": {"lt": 1550}}'])).toEqual(["a b/ü"]);
    const { hits } = await served.search("water gate");
    expect(await found(["--min-score", String(hits[0].score - 0.01)])).toEqual(["3"]);
    const client = await connect(["--filter", '{"year": {"lt": 1550}}']);
    await expectExcluded(client, "3", "a b/ü");
    await client.close();
  },
  LONGEST_BUILD_MS,
);

/** To every tool and resource, an excluded document is not found, in the words of an id that nobody has. */
async function expectExcluded(client: Client, excluded: string, accepted: string): Promise<void> {
  for (const [name, args] of [
    ["get", {}],
    ["explain", { query: "water gate" }],
  ] as const) {
    const ask = async (id: string) =>
      (await client.callTool({ name, arguments: { ...args, id } })) as CallToolResult;
    expect(await ask(accepted)).not.toHaveProperty("isError");
    const refused = await ask(excluded);
    const unknown = await ask("nobody");
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused)).toBe(JSON.stringify(unknown).replaceAll("nobody", excluded));
  }
  const read = (id: string) => client.readResource({ uri: `sluice://document/${encodeURIComponent(id)}` });
  expect((await read(accepted)).contents).toHaveLength(1);
  await expect(read(excluded)).rejects.toThrow(`no document has the id ${JSON.stringify(excluded)}`);
}

test("the filter of createMcpServer and serveHttp holds for every tool", async () => {
  for (const [filter, excluded, accepted] of [
    [{ year: { lt: 1550 } }, "3", "a b/ü"],
    [{ not: { year: { exists: true } } }, "1", "long"],
  ] as const) {
    const filtered = await serveHttp(served, { port: 0, filter });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(filtered.url)));
    await expectExcluded(client, excluded, accepted);
    await client.close();
    await filtered.close();
  }
});

describe.each(["http", "stdio"] as const)("over %s", (name) => {
  let client: Client;
  const errors: Error[] = [];
  const call = async (tool: string, args: Record<string, unknown>) =>
    (await client.callTool({ name: tool, arguments: args })) as CallToolResult;
  const structured = async <T>(tool: string, args: Record<string, unknown>) =>
    (await call(tool, args)).structuredContent as T;

  beforeAll(async () => {
    client = new Client({ name: "test", version: "1" });
    client.onerror = (error) => errors.push(error);
    await client.connect(await transports[name]());
    expect(client.getServerVersion()).toMatchObject({ name: "sluice", version: readVersion() });
  }, LONGEST_BUILD_MS);
  afterAll(async () => {
    await client.close();
    // Over stdio this would be anything on stdout that is not the protocol.
    expect(errors).toEqual([]);
  });

  test("tools are listed, with schemas, and only read", async () => {
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name).sort()).toEqual(["explain", "get", "search"]);
    for (const tool of tools) {
      expect(tool.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: "object" });
    }
    expect(tools.find((tool) => tool.name === "search")?.description).toContain("4 documents (a few words)");
    expect(client.getInstructions()).toContain("a few words");
  });

  test("search finds what the library finds, and returns it as text, too", async () => {
    const result = await call("search", { query: "which gate controls water", k: 2 });
    await served.refresh(); // over stdio another process answers, from a newer commit
    const { hits } = await served.search("which gate controls water", { k: 2 });
    const output = result.structuredContent as unknown as SearchOutput;
    expect(output.hits.map(({ id, score }) => [id, score])).toEqual(hits.map(({ id, score }) => [id, score]));
    expect(output.hits[0]).toMatchObject({ id: "3", title: "Sluice", fields: { year: 1600 } });
    expect(result.content[0]).toMatchObject({
      type: "text",
      text: expect.stringContaining('1. id "3", score'),
    });
  });

  test("filters, pages, cut texts, unknown words, nothing found", async () => {
    const ids = async (args: Record<string, unknown>) =>
      (await structured<SearchOutput>("search", args)).hits.map(({ id }) => id);
    expect(await ids({ query: "water", filter: { year: { lt: 1550 } } })).toEqual(["a b/ü"]);
    expect(await ids({ query: "water", k: 1, offset: 1 })).toHaveLength(1);
    const { hits } = await structured<SearchOutput>("search", { query: "flood" });
    expect(hits[0]).toMatchObject({ id: "long", isCut: true });
    expect(hits[0].text!.length).toBe(1001);
    const none = await structured<SearchOutput>("search", { query: "zeppelin" });
    expect(none).toEqual({ hits: [], unknownTerms: ["zeppelin"] });
  });

  test("get and explain", async () => {
    expect(await structured<FoundDocument>("get", { id: "long" })).toEqual({
      id: "long",
      text: LONG,
      fields: {},
    });
    const explained = await structured<ExplainOutput>("explain", { query: "water gate boats", id: "3" });
    const sum = explained.matched.reduce((total, { contribution }) => total + contribution, 0);
    expect(sum).toBeCloseTo(explained.score, 6);
    expect(explained.missed).toEqual(["boat"]);
  });

  test("a wrong call returns an error that the model can read", async () => {
    for (const [tool, args, message] of [
      ["get", { id: "nobody" }, 'no document has the id "nobody"'],
      ["explain", { query: "x", id: "nobody" }, 'no document has the id "nobody"'],
      ["search", { query: "x", filter: { text: "x" } }, "is searched, not filtered"],
      ["search", { query: "x", k: 1000 }, "k"],
      ["search", { qurey: "x" }, "query"],
    ] as const) {
      const result = await call(tool, args).catch((error: Error) => ({
        isError: true,
        content: [{ type: "text", text: error.message }],
      }));
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result.content)).toContain(JSON.stringify(message).slice(1, -1));
    }
  });

  test("documents are resources", async () => {
    const uri = `sluice://document/${encodeURIComponent("a b/ü")}`;
    const { contents } = await client.readResource({ uri });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining("raises and lowers boats") });
    const about = await client.readResource({ uri: "sluice://index" });
    expect(JSON.parse((about.contents[0] as { text: string }).text)).toMatchObject({
      docs: 4,
      lexical: "bm25",
    });
    await expect(client.readResource({ uri: "sluice://document/nobody" })).rejects.toThrow("no document");
  });

  test("new commits are found", async () => {
    const writer = await Sluice.open(folder, { encoder: "none" });
    await writer.upsert([{ id: name, text: `arrived over ${name} meanwhile` }]);
    await writer.commit();
    const { hits } = await structured<SearchOutput>("search", { query: `arrived ${name} meanwhile` });
    expect(hits[0].id).toBe(name);
    await writer.delete([name]);
    await writer.commit();
    await writer.close();
  });
});

describe("HTTP", () => {
  const post = (headers: Record<string, string>, path = "/mcp", body = "{}") =>
    new Promise<number>((resolve, reject) => {
      const { port } = new URL(serving.url);
      const options = { host: "127.0.0.1", port, path, method: "POST" };
      const sent = request(
        {
          ...options,
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...headers,
          },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode!);
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });

  test("foreign hosts and origins are refused", async () => {
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(await post({ host: "evil.example" })).toBe(403);
    expect(await post({ host: "localhost.evil.example" })).toBe(403);
    expect(await post({ origin: "https://evil.example" })).toBe(403);
    expect(await post({ origin: "null" })).toBe(403);
    expect(await post({ origin: "http://localhost:3000" })).not.toBe(403);
    expect(await post({}, "/other")).toBe(404);
  });

  test("clients of the older protocol with sessions are answered, too", async () => {
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } },
    };
    expect(await post({}, "/mcp", JSON.stringify(hello))).toBe(200);
  });

  test("requests outside the protocol and large bodies are refused", async () => {
    expect(await post({}, "/mcp", "not json")).toBe(400);
    expect(await post({}, "/mcp", `{"a": "${"x".repeat(2 << 20)}"}`)).toBe(413);
  });

  test("a port in use is an error", async () => {
    const port = Number(new URL(serving.url).port);
    await expect(serveHttp(served, { port })).rejects.toThrow(`port ${port} at 127.0.0.1 is already in use`);
  });

  test("after closing, nobody answers", async () => {
    const other = await serveHttp(served, { port: 0 });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(other.url)));
    await client.listTools();
    await other.close();
    await expect(client.listTools()).rejects.toThrow();
    await client.close();
  });
});
