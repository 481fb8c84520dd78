// Indexes and options → a server that listens on a port, in Node. This file sets the address, the timeouts for slow
// clients and the order in which things stop.

import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { type Sluice, SluiceError } from "../index.ts";
import { listenAt } from "../support/environment/listen-at.ts";
import { Certificates, type TlsOptions } from "./access/certificates.ts";
import { keysOfFile } from "./access/key-file.ts";
import { type KeyOptions, Keys } from "./access/keys.ts";
import { createServer, type ServerOptions, type SluiceServer } from "./app.ts";
import { ServedFolder } from "./indexes/served-folder.ts";
import { DEFAULT_DRAIN_MS, DEFAULT_HOST, DEFAULT_PORT } from "./server-defaults.ts";
import type { Log } from "./traffic/request-log.ts";
import { answerConnection, answerUnread } from "./traffic/unread-requests.ts";
import { resolveLimits } from "./wire/limits.ts";

export interface ServeOptions extends Omit<ServerOptions, "folder" | "keys"> {
  /**
   * Keys that clients must send, or the path of a file of keys, which `reload` reads again. Without keys, everyone may do
   * everything.
   */
  readonly keys?: KeyOptions | string | undefined;
  /**
   * A folder of indexes. All of them are served, and clients can create and drop indexes there. The server closes the indexes
   * of a path. Give a `ServedFolder` to open them with options of your own; then you close it.
   */
  readonly folder?: string | ServedFolder | undefined;
  /** The port, 7700 by default; 0 takes any free port. */
  readonly port?: number | undefined;
  /** The address to listen on. The default, 127.0.0.1, is reached from this machine only; any other needs keys. */
  readonly host?: string | undefined;
  /** The files of a certificate: the server then speaks TLS only. They are read again when they change. */
  readonly tls?: TlsOptions | undefined;
}

export interface ClosingOptions {
  /** Milliseconds in which requests are still taken, while `/ready` is 503. */
  readonly drainMs?: number | undefined;
  /** Milliseconds for requests that run. */
  readonly graceMs?: number | undefined;
}

export interface RunningServer {
  /** For example http://127.0.0.1:7700, or https://… with a certificate. */
  readonly url: string;
  readonly port: number;
  /**
   * Reads the files of keys and of the certificate again, and opens the audit log again. If a file cannot be used, the server logs
   * that and keeps what it read before.
   */
  reload(): Promise<void>;
  /**
   * Stops the server. For `drainMs` (0 by default) it answers as before, and only `/ready` is 503, so that a load balancer
   * sends no more. Then it takes no more requests, and waits `graceMs` (10 seconds by default) for running requests; a commit
   * always completes. The indexes stay open: you close them.
   */
  close(options?: ClosingOptions): Promise<void>;
}

/** A client has this long to send its headers. Longer lets slow clients hold more connections. */
const HEADERS_MS = 10_000;
/** An idle connection is kept this long for the next request. */
const KEEP_ALIVE_MS = 5_000;
/** How often Node looks for connections that exceed their timeout. */
const CHECK_MS = 1_000;
/** Connections at once; further ones are closed on arrival. */
const MAX_CONNECTIONS = 1024;
/** On close, written answers have this long to reach their clients before their connections are cut. */
const FLUSH_MS = 2_000;

/** The most bytes of a request's address and headers. A query of 8,192 letters of any script fits, each written as 12 bytes. */
const HEADER_BYTES = 128 * 1024;

/** Serves indexes over HTTP. */
export async function serve(
  indexes: Readonly<Record<string, Sluice>>,
  {
    port = DEFAULT_PORT,
    host = DEFAULT_HOST,
    folder: given,
    keys: givenKeys,
    tls,
    ...rest
  }: ServeOptions = {},
): Promise<RunningServer> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new SluiceError(`the port must be a whole number from 0 to 65535, not ${port}`);
  }
  const keys = typeof givenKeys === "string" ? await keysOfFile(givenKeys) : givenKeys;
  const options = { ...rest, keys };
  const { hasKeys } = new Keys(keys);
  if (!hasKeys && !isLoopback(host)) {
    throw new SluiceError(
      `a server without keys listens on this machine only, not at ${host}`,
      (nameOf) => `give keys by ${nameOf("keys")}`,
    );
  }
  const ownHosts = ["localhost", "127.0.0.1", "[::1]", host.includes(":") ? `[${host}]` : host];
  const { writeMs } = resolveLimits(options.limits);
  const certificates = tls && (await Certificates.read(tls));
  const folder = typeof given === "string" ? await ServedFolder.open(given) : given;
  const closeFolder = async () => {
    if (folder !== given) await folder?.close();
  };
  let server: SluiceServer;
  try {
    server = createServer(indexes, { ...(!hasKeys && { hosts: ownHosts }), ...options, folder });
  } catch (error) {
    await closeFolder();
    throw error;
  }
  const listener = getRequestListener(server.fetch, {
    hostname: "localhost", // of a request of HTTP/1.0, which may have no Host
    errorHandler: (error) => answerUnread(error, options.log),
  });
  const serverOptions = {
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: Math.min(HEADERS_MS, writeMs), // Node refuses one that exceeds requestTimeout
    requestTimeout: writeMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const http: Server = certificates
    ? createTlsServer({ ...serverOptions, ...certificates.current, handshakeTimeout: HEADERS_MS }, listener)
    : createHttpServer(serverOptions, listener);
  http.maxConnections = MAX_CONNECTIONS;
  http.on("clientError", (error, connection) => answerConnection(error, connection, options.log));
  try {
    await listenAt(http, port, host);
  } catch (error) {
    await server.close();
    await closeFolder();
    throw error;
  }
  const { port: actual } = http.address() as AddressInfo;
  const renewal = certificates && new Renewal(certificates, http as TlsServer, options.log);
  return {
    url: `http${certificates ? "s" : ""}://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    port: actual,
    async reload() {
      if (typeof givenKeys === "string") await reloadKeys(givenKeys, server, options.log);
      await renewal?.look();
      await server.reopenAudit();
    },
    async close({ drainMs = DEFAULT_DRAIN_MS, graceMs } = {}) {
      renewal?.stop();
      server.drain();
      if (drainMs > 0) await setTimeoutAsync(drainMs);
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      await server.close({ graceMs });
      const closingIdle = setInterval(() => http.closeIdleConnections(), 20);
      const giveUp = setTimeout(() => http.closeAllConnections(), FLUSH_MS);
      await closed;
      clearInterval(closingIdle);
      clearTimeout(giveUp);
      await closeFolder();
    },
  };
}

async function reloadKeys(path: string, server: SluiceServer, log: Log | undefined): Promise<void> {
  try {
    server.setKeys(await keysOfFile(path));
    log?.info({}, "the keys were read");
  } catch (error) {
    log?.error({ error: String(error) }, "the file of keys cannot be used; the old keys stay");
  }
}

/** Gives a listener its new certificate. Connections that are open keep the old one until they end. */
class Renewal {
  readonly #certificates: Certificates;
  readonly #listener: TlsServer;
  readonly #log: Log | undefined;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(certificates: Certificates, listener: TlsServer, log: Log | undefined) {
    this.#certificates = certificates;
    this.#listener = listener;
    this.#log = log;
    const { refreshMs } = certificates;
    if (refreshMs > 0) this.#timer = setInterval(() => this.look(), refreshMs).unref();
    log?.info({ validTo: certificates.validTo }, "the certificate was read");
  }

  async look(): Promise<void> {
    try {
      if (!(await this.#certificates.refresh())) return;
      this.#listener.setSecureContext(this.#certificates.current);
      this.#log?.info({ validTo: this.#certificates.validTo }, "the certificate was read");
    } catch (error) {
      this.#log?.error({ error: String(error) }, "the new certificate cannot be used; the old one stays");
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
