// The process of an engine that runs in Node: node --expose-gc child.js ENGINE FOLDER JOB DATA INDEX RESULT [VARIANT]. FOLDER
// holds the engine's packages; protocol.ts describes the other arguments.

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Adapter, Place } from "./adapter.ts";
import { readAbout, readQueries } from "./bags.ts";
import { measureWay } from "./measure.ts";
import type { AskedWay, BuildResult, Failed, Job, QueryTimes } from "./protocol.ts";

const [engine, packages, job, data, folder, result, variant] = process.argv.slice(2);
const done = (found: BuildResult | QueryTimes | Failed) => writeFileSync(result, JSON.stringify(found));
try {
  const { adapter } = (await import(`./peers/${engine}.js`)) as { adapter: Adapter };
  const { kind } = await readAbout(data);
  const require = createRequire(join(packages, "package.json"));
  const place = { data, kind, folder, variant, load: <T>(name: string) => require(name) as T };
  done(await { build, ask }[job as Job](adapter, place));
} catch (error) {
  console.error((error as Error).stack);
  done({ error: (error as Error).message });
}
// Some engines have threads that would keep the process alive.
process.exit();

async function build(adapter: Adapter, place: Place): Promise<BuildResult> {
  if (!adapter.build) return { buildMs: 0, isInMemory: true, peakBytes: 0 };
  const started = performance.now();
  const other = await adapter.build(place);
  const built = { buildMs: performance.now() - started, peakBytes: peakBytes() };
  return { ...built, otherBytes: await other?.() };
}

async function ask(adapter: Adapter, place: Place): Promise<QueryTimes> {
  const started = performance.now();
  const { ways, note } = await adapter.open(place);
  const openMs = performance.now() - started;
  const queries = readQueries(place.data);
  const asked: AskedWay[] = [];
  for (const way of ways) asked.push(await measureWay(way, queries));
  globalThis.gc?.();
  return { openMs, note, ways: asked, rssBytes: process.memoryUsage.rss(), peakBytes: peakBytes() };
}

function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
