// sluice serve: indexes → an HTTP server with a web page. The server's code is loaded only when this command runs.

import { spawn } from "node:child_process";
import { basename, resolve } from "node:path";
import { Sluice } from "../../../index.ts";
import type { ClosingOptions, RunningServer, ServeOptions } from "../../../server/index.ts";
import {
  DEFAULT_DRAIN_MS,
  DEFAULT_GRACE_MS,
  DEFAULT_HOST,
  DEFAULT_PORT,
} from "../../../server/server-defaults.ts";
import { DEFAULT_LIMITS } from "../../../server/wire/limits.ts";
import { THREADS_AND_KERNEL_FLAGS, threadsAndKernelFromFlags } from "../../flags/flags.ts";
import type { Arguments, Command, Terminal } from "../../terminal/command.ts";

const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** The names of all limits, as lines of the help. */
function limitsText(): string[] {
  const names = Object.keys(DEFAULT_LIMITS);
  const half = Math.ceil(names.length / 2);
  return [
    `Limits, with --limit NAME=VALUE: ${names.slice(0, half).join(", ")},`,
    `${names.slice(half).join(", ")}.`,
  ];
}

export const serveCommand: Command = {
  name: "serve",
  summary: "serve indexes over HTTP, with a web page to search them",
  operands: "[NAME=]DIR… | --folder FOLDER",
  details: [
    "Without keys the server listens on this machine only. Keys are in SLUICE_READ_KEYS, SLUICE_WRITE_KEYS and",
    "SLUICE_ADMIN_KEYS, separated by commas, or in a file with lines such as",
    "  write sha256:HASH index=notes,papers expires=2027-01-01 name=ci",
    "which sluice key makes, and which the server reads again on SIGHUP. Clients send Authorization: Bearer KEY. A read key",
    "searches and reads, a write key also changes documents, an admin key also creates, drops, sets and backs up indexes.",
    "/docs lists all routes.",
    "",
    "The name of an index is that of its folder, or NAME. The first change locks the index: other processes can read it,",
    "and can write to it again after the server has stopped. Ctrl-C stops the server; it answers running requests and",
    "completes commits first.",
    "",
    "DIR may be the address of an index on a cluster. Several servers can then serve, and change, the same index.",
    "",
    "With --folder, every index of a folder is served, and clients with an admin key can create and drop indexes there.",
    "",
    "With --tls-cert and --tls-key the server speaks TLS, 1.2 at least. The files are read again when they change, and on",
    "SIGHUP. Connections stay open, and a bad certificate leaves the old one in use.",
    "",
    "Behind a proxy that changes the Host header, give the origin of the page with --cors.",
    "",
    "SIGHUP reads the keys and the certificate again and opens the audit log again. If the audit log cannot be written,",
    "changes are refused.",
    "",
    ...limitsText(),
  ].join("\n"),
  flags: {
    folder: {
      type: "string",
      value: "FOLDER",
      help: "folder of indexes, which clients can create and drop; made if it is missing",
    },
    port: { type: "string", value: "N", default: String(DEFAULT_PORT), help: "port; 0 takes any free port" },
    host: { type: "string", value: "ADDRESS", default: DEFAULT_HOST, help: "address to listen on" },
    "tls-cert": {
      type: "string",
      value: "FILE",
      help: "certificate in PEM; the server then speaks TLS only",
    },
    "tls-key": { type: "string", value: "FILE", help: "private key of the certificate, in PEM" },
    keys: { type: "string", value: "FILE", help: "file of keys, instead of the environment" },
    cors: {
      type: "string",
      value: "ORIGIN",
      multiple: true,
      help: "another origin whose pages may use the server; may be repeated",
    },
    "read-only": { type: "boolean", help: "refuse all changes" },
    create: { type: "boolean", help: "create a missing index with its first document" },
    limit: { type: "string", value: "NAME=VALUE", multiple: true, help: "change a limit; may be repeated" },
    "rate-per-key": {
      type: "string",
      value: "RATE",
      help: "requests of one key in a time, such as 50/s, 600/m or 10000/h",
    },
    "rate-per-address": { type: "string", value: "RATE", help: "requests of one address in a time" },
    "trust-proxy": {
      type: "boolean",
      help: "one proxy in front writes the client's address at the end of X-Forwarded-For",
    },
    "slow-ms": {
      type: "string",
      value: "MS",
      help: "log searches that take at least this long, with statistics",
    },
    "slow-log-queries": { type: "boolean", help: "log the queries of such searches, too" },
    audit: {
      type: "string",
      value: "FILE",
      help: "add a line for every change and every refused access to this file",
    },
    "drain-ms": {
      type: "string",
      value: "MS",
      default: String(DEFAULT_DRAIN_MS),
      help: "on SIGTERM, answer on for this long while /ready is 503",
    },
    "grace-ms": {
      type: "string",
      value: "MS",
      default: String(DEFAULT_GRACE_MS),
      help: "then wait this long for requests that run",
    },
    reports: {
      type: "string",
      value: "FOLDER",
      help: "folder of reports by sluice experiment, shown on the page",
    },
    "rerank-model": {
      type: "string",
      value: "FOLDER",
      help: "cross-encoder that orders the best hits of searches that ask for it",
    },
    ...THREADS_AND_KERNEL_FLAGS,
    log: {
      type: "string",
      value: "LEVEL",
      default: "info",
      choices: LEVELS,
      help: `${LEVELS.join(", ")}; JSON lines on stderr`,
    },
    open: { type: "boolean", help: "open the page in a browser" },
  },
  examples: [
    "sluice serve my-index",
    "sluice serve --folder indexes",
    "sluice serve opensearch://search1:9200,search2:9200/papers",
    "sluice serve papers=indexes/acl books=indexes/gutenberg --port 8080 --read-only --reports reports",
    "SLUICE_READ_KEYS=… SLUICE_WRITE_KEYS=… sluice serve my-index --host 0.0.0.0 --limit k=100",
  ],

  async run(args, terminal) {
    const folders = foldersOf(args);
    const closing = { drainMs: args.whole("drain-ms"), graceMs: args.whole("grace-ms") };
    const [{ serve, ServedFolder }, options] = [
      await import("../../../server/index.ts"),
      await serveOptionsFromFlags(args),
    ];
    const indexes: Record<string, Sluice> = {};
    const path = args.text("folder");
    const means = { readOnly: args.is("read-only"), ...threadsAndKernelFromFlags(args) };
    const folder = path === undefined ? undefined : args.closeAtEnd(await ServedFolder.open(path, means));
    for (const [name, folder] of folders) indexes[name] = args.closeAtEnd(await openServed(folder, args));
    const server = await serve(indexes, { ...options, folder });
    terminal.out(`${server.url}\n`);
    if (args.is("open")) openBrowser(server.url);
    const reload = () => void server.reload();
    process.on("SIGHUP", reload);
    try {
      await stopOnSignal(server, terminal, closing);
    } finally {
      process.off("SIGHUP", reload);
    }
  },
};

/** Name and folder of each index. */
function foldersOf(args: Arguments): Map<string, string> {
  if (args.operands.length === 0 && !args.has("folder"))
    throw args.usageError("expected at least one DIR, or --folder FOLDER");
  const folders = new Map<string, string>();
  for (const operand of args.operands) {
    const [, given, path = operand] = /^([\w-]+)=(.*)$/.exec(operand) ?? [];
    // Absolute, so that a message about a file can be told from a message about a request.
    const folder = path.includes("://") ? path : resolve(path);
    const name = given ?? basename(folder);
    if (folders.has(name))
      throw args.usageError(`two indexes are named ${name}; give one of them another name: NAME=DIR`);
    folders.set(name, folder);
  }
  return folders;
}

async function openServed(folder: string, args: Arguments): Promise<Sluice> {
  const [readOnly, create] = [args.is("read-only"), args.is("create")];
  return Sluice.open(folder, { readOnly, create, ...threadsAndKernelFromFlags(args) });
}

async function serveOptionsFromFlags(args: Arguments): Promise<ServeOptions> {
  const { checkName, keysOfEnvironment } = await import("../../../server/index.ts");
  for (const name of foldersOf(args).keys()) checkName(name);
  const file = args.text("keys");
  const [reports, rerankModel] = [args.text("reports"), args.text("rerank-model")];
  const audit = args.text("audit");
  if (args.is("slow-log-queries") && !args.has("slow-ms"))
    throw args.usageError("--slow-log-queries has no effect without --slow-ms");
  const limits: Record<string, number> = {};
  for (const limit of args.texts("limit")) {
    const [name, value] = limit.split("=");
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw args.usageError(`there is no limit "${name}"`);
    if (!/^\d+(\.\d+)?$/.test(value ?? ""))
      throw args.usageError(`--limit takes NAME=N, not "${limit}": N is a number`);
    limits[name] = Number(value);
  }
  return {
    port: args.number("port")!,
    host: args.text("host")!,
    ...tlsOf(args),
    keys: file === undefined ? keysOfEnvironment(process.env) : resolve(file),
    cors: args.texts("cors"),
    limits,
    rates: { perKey: args.text("rate-per-key"), perAddress: args.text("rate-per-address") },
    trustProxy: args.is("trust-proxy"),
    slowMs: args.nonNegative("slow-ms"),
    slowLogQueries: args.is("slow-log-queries"),
    ...(audit !== undefined && { audit: resolve(audit) }),
    ...(reports !== undefined && { reports: resolve(reports) }),
    ...(rerankModel !== undefined && { rerankModel: resolve(rerankModel) }),
    log: await logOf(args.oneOf("log", LEVELS)!),
  };
}

function tlsOf(args: Arguments): Pick<ServeOptions, "tls"> {
  const [cert, key] = [args.text("tls-cert"), args.text("tls-key")];
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined)
    throw args.usageError("--tls-cert and --tls-key go together: a certificate and its key");
  return { tls: { cert: resolve(cert), key: resolve(key) } };
}

async function logOf(level: (typeof LEVELS)[number]) {
  const { pino, destination, stdTimeFunctions } = await import("pino");
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination(2));
}

/** Waits for Ctrl-C or SIGTERM, then stops the server. A second Ctrl-C ends the process at once. */
async function stopOnSignal(
  server: RunningServer,
  terminal: Terminal,
  closing: ClosingOptions,
): Promise<void> {
  const signals = ["SIGINT", "SIGTERM"] as const;
  await new Promise<void>((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
  });
  if (terminal.isErrorTty) terminal.err("\nstopping\n");
  await server.close(closing);
}

function openBrowser(url: string): void {
  const [program, ...before] =
    process.platform === "darwin"
      ? ["open"]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", ""]
        : ["xdg-open"];
  // Without a browser, the user still sees the URL on the terminal.
  spawn(program, [...before, url], { stdio: "ignore", detached: true })
    .on("error", () => {})
    .unref();
}
