// Measures how costs grow with the collection: rows in the shape of DeLADE, up to MS MARCO's 8.8 million passages, one thread.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatTable } from "../src/report/format-table.ts";
import type { ScaleRow } from "./scale/child.ts";
import { countFiles } from "./scale/segments.ts";
import type { Bench } from "./support/bench.ts";

const SIZES = [500_000, 1_000_000, 2_000_000, 4_000_000, 8_841_823];

const QUICK = [500_000];

/** Table 12 of the paper: milliseconds per query on one CPU thread, first stage and rescoring. */
const PAPER = "the paper, one CPU thread, 8.8 M passages: 72,560 ms exact, 9,115 ms pruned, 664 ms PQ";

/** Limits of p50 in milliseconds at the largest size. */
const TARGETS: Record<string, number> = {
  exact: 60,
  "exact, top 10": 30,
  "PQ 64 × 4 bits": 100,
};

/** How many times as fast as one thread this number of threads must be. */
const MANY_THREADS = { threads: 16, times: 10 };

/** What a process that makes files takes, with room to spare. More processes than fit would swap. */
const MAKING_BYTES = 2 * 2 ** 30;

export const scale: Bench = {
  name: "scale",
  flags: "[--docs N,...] [--threads N,...] [--rows FOLDER] [--quick]",
  about:
    "Rows in the shape of DeLADE (128 slots, all filled, and 128 semantic dims; cells as frequent as real word pieces), 40 real " +
    "SPLADE-v3 queries of MS MARCO, top 1000, λ 1, one thread unless --threads names others, which the exact plans are measured " +
    "with. Plans with candidates use 10,000 unless their name says another number. Recall is against the exact plan. Bytes are " +
    "those that the scan read. p50 and p95 are over the best of three rounds of every query. Rows for exact scores are read from " +
    "files in the system's page cache; everything else is in memory. --rows names a folder that keeps the rows for other runs.",

  async run(print, args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        docs: { type: "string" },
        threads: { type: "string", default: "1" },
        rows: { type: "string" },
        quick: { type: "boolean" },
      },
    });
    const sizes = values.docs?.split(",").map(Number) ?? (values.quick ? QUICK : SIZES);
    const threads = values.threads.split(",").map(Number);
    const folder = values.rows ?? (await mkdtemp(join(tmpdir(), "sluice-scale-")));
    try {
      await makeFiles(folder, Math.max(...sizes));
      const all: ScaleRow[] = [];
      for (const docs of sizes) {
        // One process per size, so that its memory is that of this size.
        for (const count of threads) {
          const plans = count === threads[0] ? ["all"] : [];
          await runChild(["search", folder, String(docs), String(count), ...plans], (line) =>
            all.push(JSON.parse(line)),
          );
        }
      }
      print(`\n${formatTable(HEAD, all.map(cells))}`);
      const ofFirst = all.filter((row) => row.threads === threads[0]);
      print(`\n${growth(ofFirst, sizes).join("\n")}`);
      print(`\n${PAPER}`);
      for (const [plan, limit] of Object.entries(TARGETS)) {
        const { p50, recall } = ofFirst.find((row) => row.plan === plan && row.docs === sizes.at(-1))!;
        const verdict = p50 < limit ? "met" : "missed";
        print(`${verdict}: ${plan} p50 ${p50.toFixed(1)} ms, limit ${limit} ms; recall ${recall.toFixed(4)}`);
      }
      for (const verdict of judgeThreads(all, sizes.at(-1)!)) print(verdict);
    } finally {
      if (values.rows === undefined) await rm(folder, { recursive: true, force: true });
    }
  },
};

const HEAD = [
  "documents",
  "threads",
  "plan",
  "p50 ms",
  "p95",
  "1st stage",
  "recall",
  "certified",
  "MB read",
  "rows scored",
  "RSS GiB",
];

function cells(row: ScaleRow): string[] {
  return [
    row.docs.toLocaleString("en"),
    String(row.threads),
    row.plan,
    row.p50.toFixed(1),
    row.p95.toFixed(1),
    row.firstMs.toFixed(1),
    row.recall.toFixed(4),
    `${(100 * row.certified).toFixed(0)} %`,
    row.megabytes.toFixed(0),
    row.scored.toFixed(0),
    (row.rss / 2 ** 30).toFixed(2),
  ];
}

/** Time per document at the largest size, as a multiple of the time at the smallest size. */
function growth(all: readonly ScaleRow[], sizes: readonly number[]): string[] {
  const plans = [...new Set(all.map(({ plan }) => plan))];
  return plans.map((plan) => {
    const at = (docs: number) => all.find((row) => row.plan === plan && row.docs === docs)!.p50 / docs;
    const factor = at(sizes.at(-1)!) / at(sizes[0]);
    return `${plan}: time per document at the largest size is ${factor.toFixed(2)} × the time at the smallest`;
  });
}

/** Says whether so many threads are as much faster than one as they should be, if both were measured and there are enough cores. */
function judgeThreads(all: readonly ScaleRow[], docs: number): string[] {
  const largest = all.filter((row) => row.docs === docs);
  const ofMany = largest.filter(({ threads }) => threads === MANY_THREADS.threads);
  const cores = availableParallelism();
  if (ofMany.length > 0 && cores < MANY_THREADS.threads)
    return [`not judged: ${MANY_THREADS.threads} threads on ${cores} cores`];
  return ofMany.flatMap(({ plan, p50 }) => {
    const one = largest.find((row) => row.plan === plan && row.threads === 1);
    if (!one) return [];
    const times = one.p50 / p50;
    const verdict = times >= MANY_THREADS.times ? "met" : "missed";
    return `${verdict}: ${plan}, ${MANY_THREADS.threads} threads are ${times.toFixed(1)} × as fast as one, limit ${MANY_THREADS.times} ×`;
  });
}

/** Makes the files in several processes side by side. */
async function makeFiles(folder: string, docs: number): Promise<void> {
  const fitting = Math.floor(freemem() / MAKING_BYTES);
  const of = Math.max(1, Math.min(countFiles(docs), availableParallelism(), fitting));
  let made = 0;
  const report = (line: string) => {
    made += Number(line);
    process.stderr.write(`\r${made} documents made `);
  };
  const parts = Array.from({ length: of }, (_, part) => ["make", folder, `${docs}`, `${part}`, `${of}`]);
  await Promise.all(parts.map((args) => runChild(args, report)));
  process.stderr.write("\n");
}

function runChild(args: readonly string[], onLine: (line: string) => void): Promise<void> {
  const program = fileURLToPath(new URL("./scale/child.js", import.meta.url));
  const started = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: started.stdout }).on("line", onLine);
  return new Promise((resolve, reject) => {
    started.on("error", reject);
    started.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`child ended with ${code}`))));
  });
}
