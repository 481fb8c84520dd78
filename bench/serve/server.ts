// Starts `sluice serve` in a process of its own, as users do, with a key of each kind; and asks it for its memory and CPU time.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export class Server {
  readonly url: string;
  readonly keys: Readonly<Record<"read" | "write" | "admin", string>>;
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | null>;

  private constructor(url: string, keys: Server["keys"], child: ChildProcess, exit: Promise<number | null>) {
    this.url = url;
    this.keys = keys;
    this.#child = child;
    this.#exit = exit;
  }

  /** Serves the index of a folder under the name docs. */
  static async start(folder: string): Promise<Server> {
    const keys = { read: randomUUID(), write: randomUUID(), admin: randomUUID() };
    const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
    const args = ["serve", `docs=${folder}`, "--port", "0", "--log", "error"];
    const child = spawn(process.execPath, [main, ...args], {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        SLUICE_READ_KEYS: keys.read,
        SLUICE_WRITE_KEYS: keys.write,
        SLUICE_ADMIN_KEYS: keys.admin,
      },
    });
    const exit = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const lines = createInterface({ input: child.stdout });
    const url = await Promise.race([
      new Promise<string>((resolve) => lines.once("line", resolve)),
      exit.then((status) => {
        throw new Error(`the server ended with status ${status}`);
      }),
    ]);
    return new Server(url, keys, child, exit);
  }

  async readResidentBytes(): Promise<number> {
    return this.#readMetric("process_resident_memory_bytes");
  }

  /** CPU time of all threads so far. */
  async readCpuSeconds(): Promise<number> {
    return this.#readMetric("process_cpu_seconds_total");
  }

  /** Seconds that its main thread could run and had no core; undefined where the system does not count them. */
  get waitedSeconds(): number | undefined {
    return waitedSeconds(this.#child.pid!);
  }

  async #readMetric(name: string): Promise<number> {
    // A connection of its own: the server closes idle ones after 5 s, which is also how often metrics are read.
    const headers = { authorization: `Bearer ${this.keys.read}`, connection: "close" };
    const text = await (await fetch(`${this.url}/metrics`, { headers })).text();
    return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)![1]);
  }

  /** Asks the server to stop, and returns its exit status. */
  stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#exit;
  }
}

/** Seconds that the main thread of any process could run and had no core. Linux counts the time in nanoseconds. */
export function waitedSeconds(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e9;
  } catch {
    return undefined;
  }
}
