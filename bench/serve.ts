// Measures `sluice serve` under load, over HTTP on loopback: searches from many connections while documents are added, replaced
// and deleted. It also checks that no change was lost. Not measured: a network, TLS, encoders, and retrieval quality. The load
// comes from the same machine and uses part of the CPU.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import autocannon, { type Result } from "autocannon";
import { definitions } from "../demo/wordnet.ts";
import { Sluice } from "../src/index.ts";
import { percentiles } from "../src/lab/eval/percentiles.ts";
import { formatTable } from "../src/report/format-table.ts";
import type { Bench } from "./bench.ts";
import { progress } from "./progress.ts";
import { Changes } from "./serve/changes.ts";

const DOCS = 100_000;
const QUERIES = 1000;
/** Seconds between two measurements of the memory. */
const SAMPLE_S = 5;

export const serve: Bench = {
  name: "serve",
  flags: "[--minutes N] [--connections N] [--docs N]",
  about:
    "`sluice serve` under load: 100,000 of WordNet's definitions. 32 connections search without a pause (POST, k 10; queries " +
    "are the first six words of 1,000 definitions). Meanwhile one client adds 25 documents, replaces 25 and deletes 25, each in " +
    "one request with a commit, waits 100 ms and repeats. Times are from the request to the answer, by autocannon on the same " +
    "machine. At the end the server is stopped, its index is opened, and every document is compared with what was sent. " +
    "Resident is the memory of the server's process.",

  async run(print, args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: "string", default: "1" },
        connections: { type: "string", default: "32" },
        docs: { type: "string", default: String(DOCS) },
      },
    });
    const [minutes, connections] = [Number(values.minutes), Number(values.connections)];
    const place = await mkdtemp(join(tmpdir(), "sluice-bench-serve-"));
    try {
      await measure({ folder: join(place, "index"), docs: Number(values.docs), minutes, connections }, print);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  },
};

interface Setting {
  readonly folder: string;
  readonly docs: number;
  readonly minutes: number;
  readonly connections: number;
}

async function measure({ folder, docs, minutes, connections }: Setting, print: (text: string) => void) {
  const documents = Array.from(definitions()).slice(0, docs);
  progress(`indexing ${documents.length} documents`);
  const index = await Sluice.open(folder, { encoder: "none" });
  await index.add(documents);
  await index.commit();
  await index.close();

  const server = await started(folder);
  const changes = new Changes(`${server.url}/v1/indexes/docs/documents`, documents);
  progress(`searching from ${connections} connections for ${minutes} min`);
  const load = autocannon({
    url: server.url,
    connections,
    duration: minutes * 60,
    requests: documents
      .filter((_, i) => i % Math.floor(documents.length / QUERIES) === 0)
      .map(({ text }) => ({
        method: "POST" as const,
        path: "/v1/indexes/docs/search",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: text.split(/\s+/).slice(0, 6).join(" "), k: 10 }),
      })),
  });
  const memory: number[] = [await residentBytes(server.url)];
  const sampling = setInterval(async () => memory.push(await residentBytes(server.url)), SAMPLE_S * 1000);
  const stop = new AbortController();
  const changing = changes.repeatUntil(stop.signal);
  const result = await load;
  stop.abort();
  await changing;
  clearInterval(sampling);
  const status = await server.stop();
  print(
    `Load average during the run: ${loadavg()[minutes < 10 ? 0 : 1].toFixed(1)} processes on ` +
      `${availableParallelism()} cores.\n`,
  );
  const { requests, added, replaced, deleted } = changes;
  print(`${loadTable(result)}\n`);
  const { p50, p99 } = percentiles(changes.times);
  const row = [
    "adding, replacing, deleting",
    requests,
    p50.toFixed(0),
    p99.toFixed(0),
    megabytes(Math.max(...memory)),
  ].map(String);
  print(formatTable(["", "changes", "p50, ms", "p99, ms", "most resident, MB"], [row]));
  print(
    `\nEach change was committed: ${added} documents added, ${replaced} replaced, ${deleted} deleted meanwhile.`,
  );
  print(memoryLine(memory));
  const bad = result.errors + result.timeouts + result.non2xx;
  const lost = await changes.differences(folder);
  print(
    `\n${bad} errors; the server ended with status ${status}; ${changes.size} documents expected, ${lost.length} lost or different.`,
  );
  if (bad > 0 || lost.length > 0 || status !== 0)
    throw new Error(
      `${bad} errors, ${lost.length} lost documents (${lost.slice(0, 5).join(", ")}), exit status ${status}`,
    );
}

/** Starts the server in its own process, as users do. */
async function started(folder: string) {
  const main = fileURLToPath(new URL("../src/cli/main.js", import.meta.url));
  const child = spawn(process.execPath, [main, "serve", `docs=${folder}`, "--port", "0", "--log", "error"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    exit.then((status) => {
      throw new Error(`the server ended with status ${status}`);
    }),
  ]);
  const stop = () => {
    child.kill("SIGTERM");
    return exit;
  };
  return { url, stop };
}

async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)![1]);
}

function loadTable({ latency, requests, duration, ...result }: Result): string {
  const [perSecond, seconds] = [requests.average.toFixed(0), duration.toFixed(0)];
  return formatTable(
    ["requests per second", "p50, ms", "p90, ms", "p99, ms", "longest, ms", "answered", "seconds"],
    [[perSecond, latency.p50, latency.p90, latency.p99, latency.max, result["2xx"], seconds].map(String)],
  );
}

/** Lists the memory once per minute, or every measurement of a short run. */
function memoryLine(bytes: readonly number[]): string {
  const each = bytes.length > 40 ? 60 / SAMPLE_S : 1;
  const shown = bytes.filter((_, i) => i % each === each - 1).map(megabytes);
  return `\nResident, MB, every ${each * SAMPLE_S} s: ${shown.join(" ")}`;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
