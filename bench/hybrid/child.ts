// The process of one engine: node --expose-gc child.js JOB ENGINE DATA INDEX RESULT. It builds an index of the data set DATA in
// the folder INDEX, or opens and searches it. It writes the measurements, or an error, to the file RESULT.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openCorpus, readQueries, readRankings } from "./contract/dataset.ts";
import type { Place } from "./contract/engine.ts";
import { ENGINES, type EngineSpec } from "./engines.ts";
import { peerFolder } from "./install.ts";
import type { BuildResult, Job, QueryTimes, Sized } from "./job.ts";
import { type MeasuredWay, measureWay } from "./measure.ts";

/**
 * V8 gives memory back if a process was idle for the last five seconds; it checks this when it collects garbage. So wait a
 * few times and collect garbage each time.
 */
const RESTS = 4;
const REST_MS = 3000;

const [job, name, data, index, result] = process.argv.slice(2);
const spec = ENGINES.find((engine) => engine.name === name)!;
try {
  const found = await { build, ask, sizes: measureSizes }[job as Job](spec);
  writeFileSync(result, JSON.stringify(found));
} catch (error) {
  console.error((error as Error).stack);
  writeFileSync(result, JSON.stringify({ error: (error as Error).message }));
}
// Some engines have threads that would keep the process alive.
process.exit();

async function build(engine: EngineSpec): Promise<BuildResult> {
  const adapter = await engine.adapter();
  const corpus = await openCorpus(data);
  const started = performance.now();
  await adapter.build?.(corpus, place(engine));
  return { buildMs: performance.now() - started, isInMemory: !adapter.build, peakBytes: peakBytes() };
}

async function ask(engine: EngineSpec): Promise<QueryTimes> {
  const adapter = await engine.adapter();
  const corpus = await openCorpus(data);
  const started = performance.now();
  const opened = await adapter.open(corpus, place(engine));
  const openMs = performance.now() - started;
  const queries = await readQueries(data, corpus.dims);
  const rankings = await readRankings(data, queries.length);
  const ways: MeasuredWay[] = [];
  const failed: string[] = [];
  for (const way of opened.ways) {
    const title = `${way.kind} ${way.name}`.trim();
    try {
      const measured = await measureWay(way, queries, rankings);
      ways.push(measured);
      const { p50, agreement, form } = measured.at[10];
      console.error(`  ${title}, ${form}: ${p50.toFixed(2)} ms, agreement ${agreement.toFixed(4)}`);
    } catch (error) {
      failed.push(`${title}: ${(error as Error).message}`);
    }
  }
  globalThis.gc?.();
  const busyBytes = process.memoryUsage.rss();
  for (let rest = 0; rest < RESTS; rest++) {
    await setTimeout(REST_MS);
    globalThis.gc?.();
  }
  const rssBytes = process.memoryUsage.rss();
  await opened.close();
  return { openMs, ways, failed, busyBytes, rssBytes, peakBytes: peakBytes(), note: opened.note };
}

async function measureSizes(engine: EngineSpec): Promise<Sized> {
  const adapter = await engine.adapter();
  return { bytes: (await adapter.sizes?.(await openCorpus(data), place(engine))) ?? {} };
}

function place(engine: EngineSpec): Place {
  const require = createRequire(join(peerFolder(engine), "package.json"));
  return { folder: index, load: (name) => require(name) };
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
