// Compares Sluice with other search engines from npm on the same passages, vectors and queries. One thread; every engine runs
// in its own process, one after another. Not measured: filters, changes to an index, concurrent queries, and retrieval
// quality, which the experiments measure.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readAcl } from "./hybrid/acl.ts";
import { type DataSet, writeDataSet } from "./hybrid/contract/dataset.ts";
import { ENGINES, type EngineSpec } from "./hybrid/engines.ts";
import { install } from "./hybrid/install.ts";
import { type EngineResult, measureEngine, measureLexicalSizes } from "./hybrid/job.ts";
import { synthetic } from "./hybrid/synthetic.ts";
import { costTable, sizeTable, speedTable } from "./hybrid/tables.ts";
import { type Measurements, targetLines } from "./hybrid/targets.ts";
import { exactRankings } from "./hybrid/truth.ts";
import type { Bench } from "./support/bench.ts";
import { printProgress, tryOrExplain } from "./support/progress.ts";

interface Scale {
  readonly synthetic: number;
  readonly acl: number;
  readonly queries: number;
}

const FULL: Scale = { synthetic: 100_000, acl: 63_023, queries: 200 };
const QUICK: Scale = { synthetic: 10_000, acl: 10_000, queries: 50 };

/** Engines whose lexical index is also measured alone, in bytes. */
const SIZED = ["sluice", "sqlite"];

type Print = (text: string) => void;

export const hybrid: Bench = {
  name: "hybrid",
  flags: "[--only NAME,...] [--set synthetic|acl] [--quick]",
  about:
    "Lexical, dense and hybrid search compared with npm's search engines, on 100,000 synthetic passages (λ 10) and the 63,023 " +
    "ACL abstracts (λ 20), both with 384-dimensional vectors and 200 queries. Texts are already split into terms. One thread if " +
    "an engine can be limited to one. p50 and p95 are of the best of three repetitions, after warm-up passes until the times " +
    "are steady; a star means that the time limit was " +
    "reached before all queries were searched. Agreement is the mean share of the exact top k that is found, by BM25 (k1 0.9, " +
    "b 0.4), inner product, or BM25 + λ · inner product, in float64. BM25's lengths are exact or, marked L, rounded as in " +
    "Lucene, whichever agrees better. If a peer has several settings, the one that agrees best is timed. Build is from the " +
    "first passage read to an index on disk. Resident is the memory of the searching process after 12 seconds without a " +
    "query, busy right after the last query, both after a garbage collection: V8 keeps up to 32 MB for garbage until a process " +
    "is idle. Peak is the most memory that building or searching took.",

  async run(print, args) {
    const { engines, scale, set } = parseFlags(args);
    if (scale === QUICK) print("A quick run on fewer passages and queries. Do not quote its figures.\n");
    const ready = await installEngines(engines, print);
    const measurements: Measurements[] = [];
    const sets: Record<string, () => Promise<DataSet>> = {
      synthetic: async () => synthetic(scale.synthetic, scale.queries),
      acl: () => readAcl(scale.acl, scale.queries),
    };
    if (set !== undefined && !(set in sets)) throw new Error(`--set is ${set}, expected synthetic or acl`);
    for (const [name, make] of Object.entries(sets).filter(([name]) => set === undefined || name === set)) {
      const measured = await measureOnDataSet(name, make, ready, print);
      if (measured) measurements.push(measured);
    }
    print(`\nTargets:\n\n${targetLines(measurements).join("\n")}`);
  },
};

interface ParsedFlags {
  readonly engines: readonly EngineSpec[];
  readonly scale: Scale;
  readonly set: string | undefined;
}

function parseFlags(args: readonly string[]): ParsedFlags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      set: { type: "string" },
      quick: { type: "boolean" },
    },
  });
  const scale = values.quick ? QUICK : FULL;
  const { set } = values;
  if (values.only === undefined) return { engines: ENGINES, scale, set };
  const engines = values.only.split(",").map((name) => {
    const found = ENGINES.find((engine) => engine.name === name);
    if (found) return found;
    throw new Error(`--only is ${name}, expected ${ENGINES.map((engine) => engine.name).join(", ")}`);
  });
  return { engines, scale, set };
}

/** Returns the engines whose packages are installed or could be installed. */
async function installEngines(engines: readonly EngineSpec[], print: Print): Promise<EngineSpec[]> {
  const ready: EngineSpec[] = [];
  for (const engine of engines) {
    try {
      await install(engine, printProgress);
      ready.push(engine);
    } catch (error) {
      print(`${engine.name} is left out: ${(error as Error).message}`);
    }
  }
  return ready;
}

async function measureOnDataSet(
  name: string,
  make: () => Promise<DataSet>,
  engines: readonly EngineSpec[],
  print: Print,
): Promise<Measurements | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  try {
    const set = await writeDataSetFiles(name, make, folder, print);
    if (!set) return undefined;
    const results: EngineResult[] = [];
    for (const engine of engines) {
      printProgress(`${name}: ${engine.name}`);
      const result = await tryOrExplain(
        () => measureEngine(engine, folder),
        `${name}: ${engine.name}`,
        print,
      );
      if (!result) continue;
      results.push(result);
      for (const reason of result.failed) print(`${name}: ${engine.name} is left out in part: ${reason}`);
    }
    print(`\n## ${name}: ${set.docs} passages, ${set.queries} queries\n`);
    print(`${speedTable(results, set.queries)}\n\n${costTable(results)}`);
    if (name === "synthetic") await printSizes(engines, folder, print);
    return { set: name, results };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes the data set to files and returns its sizes only: the data set itself would fill memory that the engines need. */
async function writeDataSetFiles(
  name: string,
  make: () => Promise<DataSet>,
  folder: string,
  print: Print,
): Promise<{ docs: number; queries: number } | undefined> {
  printProgress(`${name}: making the data set and its exact rankings`);
  const set = await tryOrExplain(make, name, print);
  if (!set) return undefined;
  await writeDataSet(folder, set, exactRankings(set));
  return { docs: set.passages.length, queries: set.queries.length };
}

async function printSizes(engines: readonly EngineSpec[], folder: string, print: Print): Promise<void> {
  const sizes: [string, Readonly<Record<string, number>>][] = [];
  for (const engine of engines.filter(({ name }) => SIZED.includes(name))) {
    printProgress(`sizes: ${engine.name}`);
    const bytes = await tryOrExplain(
      () => measureLexicalSizes(engine, folder),
      `sizes: ${engine.name}`,
      print,
    );
    if (bytes) sizes.push([engine.name, bytes]);
  }
  if (sizes.length > 0) print(`\n${sizeTable(sizes)}`);
}
