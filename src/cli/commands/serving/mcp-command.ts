// sluice mcp: an index → tools for AI assistants, over the Model Context Protocol.

import { DEFAULT_K } from "../../../search/options/search-options.ts";
import { missingPackageError, type OptionalPackage } from "../../../support/environment/packages.ts";
import { DEFAULT_TEXT_LENGTH } from "../../../tools/tool-limits.ts";
import { FILTER_FLAG, filterFromFlags } from "../../flags/filter-flag.ts";
import { ENCODER_FLAGS, openFromFlags } from "../../flags/flags.ts";
import type { Arguments, Command } from "../../terminal/command.ts";

export const mcpCommand: Command = {
  name: "mcp",
  summary: "let assistants search an index (Model Context Protocol)",
  operands: "DIR [--http PORT]",
  details: [
    "Serves three read-only tools: search, explain and get. Every answer comes from the newest commit. Without --http it",
    "talks over stdin and stdout, as an assistant expects from a program that it starts: configure the command",
    '"sluice" with the arguments "mcp" and DIR. With --http it listens at http://127.0.0.1:PORT/mcp, on this machine only.',
    "Needs: npm install @modelcontextprotocol/server, and for --http @modelcontextprotocol/node.",
  ].join("\n"),
  flags: {
    http: { type: "string", value: "PORT", help: "listen on this port instead of stdin (0: any free port)" },
    about: { type: "string", value: "TEXT", help: "what the documents are about, told to the assistant" },
    k: {
      type: "string",
      value: "N",
      help: `number of hits, unless the assistant asks for another; ${DEFAULT_K} by default`,
    },
    "text-length": {
      type: "string",
      value: "N",
      help: `most characters of a hit's text; ${DEFAULT_TEXT_LENGTH} by default`,
    },
    ...FILTER_FLAG,
    "min-score": {
      type: "string",
      value: "X",
      help: "leave out hits with a lower score; the assistant can only raise it",
    },
    ...ENCODER_FLAGS,
  },
  examples: ["sluice mcp my-index", 'sluice mcp my-index --http 8001 --about "the handbook of our canals"'],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const [about, k, textLength] = [args.text("about"), args.count("k"), args.count("text-length")];
    const minScore = args.number("min-score");
    const port = portOf(args);
    const index = await openFromFlags(folder, args);
    const options = {
      ...(about !== undefined && { about }),
      ...(k !== undefined && { k }),
      ...(textLength !== undefined && { textLength }),
      ...(minScore !== undefined && { minScore }),
      ...filterFromFlags(args),
    };
    const onError = (error: Error) => terminal.err(`sluice: ${error.message}\n`);
    if (port !== undefined) {
      const { serveHttp } = await importOptional(
        "@modelcontextprotocol/node",
        () => import("../../../mcp/http.ts"),
      );
      const serving = await serveHttp(index, { ...options, port, onError });
      terminal.err(`${folder} is served at ${serving.url}; Ctrl-C stops it\n`);
      await waitForEnd();
      await serving.close();
      return;
    }
    const { createMcpServer } = await importOptional(
      "@modelcontextprotocol/server",
      () => import("../../../mcp/server.ts"),
    );
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    const serving = serveStdio(() => createMcpServer(index, options), { onerror: onError });
    await waitForEnd(process.stdin);
    await serving.close();
  },
};

function portOf(args: Arguments): number | undefined {
  const port = args.number("http");
  if (port === undefined || (Number.isInteger(port) && port >= 0 && port < 65_536)) return port;
  throw args.usageError(`--http takes a port, 0 to 65535, not ${port}`);
}

/** Resolves on Ctrl-C, on SIGTERM, or when the input ends. */
function waitForEnd(input?: NodeJS.ReadStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      process.removeListener("SIGINT", done).removeListener("SIGTERM", done);
      resolve();
    };
    process.once("SIGINT", done).once("SIGTERM", done);
    input?.once("end", done).once("close", done);
  });
}

async function importOptional<T>(name: OptionalPackage, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw missingPackageError(name, "sluice mcp needs", error);
  }
}
