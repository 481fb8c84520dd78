// Measures `sluice serve` under load, over HTTP on loopback: searches from many connections while documents are added, replaced
// and deleted, segments are merged, and backups are downloaded. Then the load is twice what the server can take, and then it is
// normal again. It checks that no change was lost and that the last backup holds a commit. Not measured: a network, TLS, encoders,
// and retrieval quality. The load comes from the same machine and uses part of the CPU.

import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { definitions } from "../demo/wordnet.ts";
import { Sluice } from "../src/index.ts";
import { percentiles } from "../src/lab/eval/percentiles.ts";
import { formatTable } from "../src/report/format-table.ts";
import { Backups } from "./serve/backups.ts";
import { Changes } from "./serve/changes.ts";
import { SearchLoad, type Sent } from "./serve/load.ts";
import { MemoryWatch } from "./serve/memory.ts";
import { Server, waitedSeconds } from "./serve/server.ts";
import type { Bench } from "./support/bench.ts";
import { printProgress } from "./support/progress.ts";

const DOCS = 100_000;
const QUERIES = 1000;
/** Seconds without a pause between requests, to find out what the server can take. The first third is left out. */
const CAPACITY_S = 15;
/** The part of that which is the normal load, in percent. */
const LOAD_PERCENT = 45;
/** Seconds at twice what the server can take, and seconds of normal load after it. */
const OVERLOAD_S = 30;
const RECOVERY_S = 10;
/** How many times as many connections there are meanwhile. */
const MORE_CONNECTIONS = 4;
/** The server has recovered when this many windows in a row are good. */
const WINDOW_MS = 250;
const GOOD_WINDOWS = 4;

/** The goals. */
const P99_MS = 100;
const OVERLOAD_P99_MS = 1000;
const RECOVERY_MS = 1000;
const GROWTH_PERCENT = 10;
/** In fewer minutes the memory goes up and down too much to judge its slope. */
const LEAST_MINUTES = 10;

export const serve: Bench = {
  name: "serve",
  flags: "[--minutes N] [--connections N] [--rate N] [--docs N]",
  about:
    "`sluice serve` under load: 100,000 of WordNet's definitions. First 32 connections search without a pause, which shows what the " +
    `server can take. The normal load is ${LOAD_PERCENT} % of that, or --rate: searches (POST, k 10; queries are the first six words of 1,000 ` +
    "definitions) come at random moments from 64 connections. All the time one client adds 25 documents, replaces 25 and deletes 25, " +
    "each in one request with a commit, waits 100 ms and repeats; now and then it merges all segments. Another client downloads " +
    "backups. After the normal load come 30 s at twice what the server can take, from four times as many connections, and 10 s of the " +
    "normal load again. The time of a search counts from the moment it was due. At the end the server is stopped, and every document of " +
    "its index and of the last backup is compared with what was sent. Resident is the memory of the server's process.",

  async run(print, args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        minutes: { type: "string", default: "1" },
        connections: { type: "string", default: "64" },
        rate: { type: "string" },
        docs: { type: "string", default: String(DOCS) },
      },
    });
    const place = await mkdtemp(join(tmpdir(), "sluice-bench-serve-"));
    const [minutes, connections] = [Number(values.minutes), Number(values.connections)];
    const rate = values.rate === undefined ? undefined : Number(values.rate);
    try {
      await measure({ place, docs: Number(values.docs), minutes, connections, rate }, print);
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  },
};

interface Setting {
  readonly place: string;
  readonly docs: number;
  readonly minutes: number;
  readonly connections: number;
  readonly rate: number | undefined;
}

/** A goal: what was measured, and whether that is enough. */
interface Goal {
  readonly name: string;
  readonly measured: string;
  readonly limit: string;
  readonly isMet: boolean;
}

async function measure(setting: Setting, print: (text: string) => void): Promise<void> {
  const { place, minutes, connections } = setting;
  const [folder, restored] = [join(place, "index"), join(place, "restored")];
  const documents = Array.from(definitions()).slice(0, setting.docs);
  printProgress(`indexing ${documents.length} documents`);
  const index = await Sluice.open(folder, { encoder: "none" });
  await index.add(documents);
  await index.commit();
  await index.close();

  const server = await Server.start(folder);
  const address = `${server.url}/v1/indexes/docs`;
  const changes = new Changes(address, server.keys.write, documents);
  const backups = new Backups(address, server.keys.admin, changes, join(place, "backup.tar"));
  const queries = documents
    .filter((_, i) => i % Math.max(1, Math.floor(documents.length / QUERIES)) === 0)
    .map(({ text }) => text.split(/\s+/).slice(0, 6).join(" "));
  const load = new SearchLoad(`${address}/search`, queries, server.keys.read);
  const seconds = minutes * 60;
  const [mergeS, backupS] = [everySeconds(seconds / 4, 50, 300), everySeconds(seconds / 8, 30, 120)];
  const stop = new AbortController();
  const others = Promise.all([
    changes.repeatUntil(stop.signal, mergeS * 1000),
    backups.repeatUntil(stop.signal, backupS * 1000),
  ]);
  others.catch(() => {}); // awaited below

  printProgress(`searching without a pause for ${CAPACITY_S} s`);
  const warm = await load.sendWithoutPause(connections / 2, CAPACITY_S);
  const settled = warm.filter(({ dueMs, status }) => dueMs > (CAPACITY_S * 1000) / 3 && status === 200);
  const capacity = Math.round(settled.length / ((CAPACITY_S * 2) / 3));
  const rate = setting.rate ?? Math.round((capacity * LOAD_PERCENT) / 100);

  printProgress(`${rate} searches per second from ${connections} connections for ${minutes} min`);
  const memory = new MemoryWatch(server);
  const [cpuBefore, waitsBefore] = [await server.readCpuSeconds(), waitsOf(server)];
  const normal = await load.open(connections, rate, seconds);
  const cpuPercent = Math.round(((await server.readCpuSeconds()) - cpuBefore) / (seconds / 100));
  const waits = waitsOf(server).map((waited, i) => (waited - waitsBefore[i]) / (seconds / 100));
  await memory.stop();
  const average = loadavg()[minutes < 10 ? 0 : minutes < 30 ? 1 : 2];
  const shedNormally = changes.shed + backups.shed;
  printProgress(`${2 * capacity} searches per second for ${OVERLOAD_S} s`);
  const overload = await load.open(connections * MORE_CONNECTIONS, 2 * capacity, OVERLOAD_S);
  printProgress(`${rate} searches per second again for ${RECOVERY_S} s`);
  const after = await load.open(connections, rate, RECOVERY_S);
  stop.abort();
  await others;
  const status = await server.stop();

  printProgress("comparing the index and the last backup with what was sent");
  const lost = await changes.findDifferences(folder);
  await Sluice.restore(backups.file, restored);
  const isBackupRight =
    backups.last !== undefined &&
    (await changes.holdsStateBetween(restored, backups.last.first, backups.last.last));

  const [serverWait, ownWait] = waits.map((percent) => (Number.isNaN(percent) ? "?" : percent.toFixed(0)));
  print(
    `Load average during the run: ${average.toFixed(1)} processes on ${availableParallelism()} cores. At normal load the server's main ` +
      `thread had work and no core in ${serverWait} % of the time, the process that sends the load in ${ownWait} %.`,
  );
  print(
    `Without a pause the server answered ${capacity} searches per second beside the changes. The normal load is ${rate} per second` +
      `${setting.rate === undefined ? `, ${LOAD_PERCENT} % of that` : ""}; with the changes, merges and backups beside it, the server used ` +
      `${cpuPercent} % of a core. The double load is ${2 * capacity} per second. A backup every ${backupS} s, a merge of all segments every ${mergeS} s.\n`,
  );
  print(
    `${formatTable(
      [
        "searches",
        "due per second",
        "answered",
        "shed",
        "errors",
        "p50, ms",
        "p90, ms",
        "p99, ms",
        "longest, ms",
      ],
      [
        searchRow("normal load", normal, seconds),
        searchRow("double load", overload, OVERLOAD_S),
        searchRow("normal load again", after, RECOVERY_S),
      ],
    )}\n`,
  );
  print(
    formatTable(
      ["other requests", "done", "shed", "p50, ms", "p99, ms"],
      [otherRow("changes", changes.times, changes.shed), otherRow("backups", backups.times, backups.shed)],
    ),
  );
  print(
    `\nEach change was committed: ${changes.added} documents added, ${changes.replaced} replaced, ${changes.deleted} deleted; ` +
      `${changes.merges} merges of all segments. A backup had ${megabytes(backups.bytes)} MB.`,
  );
  print(
    `\np99 of the normal load, ms, by ${minutes > 2 ? "minute" : "10 s"}: ${p99Series(normal, minutes > 2 ? 60 : 10)}`,
  );
  print(`\n${memory.line}\n`);

  const [errors, shed] = [errorsIn(normal), shedIn(normal) + shedNormally];
  const [p99, overloadP99] = [p99Of(normal), p99Of(overload)];
  const recovery = recoveryMs(after);
  const goals: Goal[] = [
    goal("errors and refused requests at normal load", errors + shed, 0),
    goal("lost or different documents", lost.length, 0),
    {
      name: "last backup",
      measured: isBackupRight ? "a commit" : "no commit",
      limit: "a commit",
      isMet: isBackupRight,
    },
    goal("p99 at normal load, ms", Math.round(p99), P99_MS),
    ...(minutes < LEAST_MINUTES
      ? []
      : [goal("growth of memory, % in the measured time", memory.growthPercent, GROWTH_PERCENT)]),
    {
      name: "shed with 429 or 503 at double load",
      measured: String(shedIn(overload)),
      limit: "some",
      isMet: shedIn(overload) > 0,
    },
    goal("other errors at double load and after it", errorsIn(overload) + errorsIn(after), 0),
    goal("p99 of what was answered at double load, ms", Math.round(overloadP99), OVERLOAD_P99_MS),
    goal("recovered after, ms", recovery, RECOVERY_MS),
    goal("exit status of the server", status ?? -1, 0),
  ];
  const rows = goals.map(({ name, measured, limit, isMet }) => [
    name,
    measured,
    limit,
    isMet ? "met" : "missed",
  ]);
  print(formatTable(["goal", "measured", "limit", ""], rows));
  if (goals.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

/** How long the server's main thread and our own have waited for a core so far, in seconds. */
function waitsOf(server: Server): number[] {
  return [server.waitedSeconds, waitedSeconds(process.pid)].map((waited) => waited ?? Number.NaN);
}

/** A goal whose measure must not be above the limit, nor below 0. */
function goal(name: string, measured: number, limit: number): Goal {
  const isMet = measured >= Math.min(0, limit) && measured <= limit;
  return { name, measured: String(measured), limit: limit === 0 ? "0" : `≤ ${limit}`, isMet };
}

function everySeconds(seconds: number, least: number, most: number): number {
  return Math.round(Math.min(most, Math.max(least, seconds)));
}

const isShed = ({ status }: Sent) => status === 429 || status === 503;
const shedIn = (sent: readonly Sent[]) => sent.filter(isShed).length;
const answeredIn = (sent: readonly Sent[]) => sent.filter(({ status }) => status === 200);
const errorsIn = (sent: readonly Sent[]) => sent.length - answeredIn(sent).length - shedIn(sent);
const p99Of = (sent: readonly Sent[]) => percentiles(answeredIn(sent).map(({ ms }) => ms)).p99;

function searchRow(name: string, sent: readonly Sent[], seconds: number): string[] {
  const times = answeredIn(sent)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  const counts = [sent.length / seconds, times.length, shedIn(sent), errorsIn(sent)];
  return [
    name,
    ...counts.map((n) => n.toFixed(0)),
    at(0.5),
    at(0.9),
    at(0.99),
    (times.at(-1) ?? 0).toFixed(0),
  ];
}

function otherRow(name: string, times: readonly number[], shed: number): string[] {
  const { p50, p99 } = percentiles(times);
  return [name, String(times.length), String(shed), p50.toFixed(0), p99.toFixed(0)];
}

function p99Series(sent: readonly Sent[], seconds: number): string {
  const parts = new Map<number, Sent[]>();
  for (const one of sent) {
    const part = Math.floor(one.dueMs / 1000 / seconds);
    if (!parts.has(part)) parts.set(part, []);
    parts.get(part)!.push(one);
  }
  const sorted = [...parts].sort(([a], [b]) => a - b);
  return sorted.map(([, part]) => p99Of(part).toFixed(0)).join(" ");
}

/**
 * Milliseconds until the server answers normally again: the beginning of the first windows in a row in which nothing was shed and
 * p99 was within its goal. −1 if there are none.
 */
function recoveryMs(sent: readonly Sent[]): number {
  const windows = Math.floor((RECOVERY_S * 1000) / WINDOW_MS);
  const isGood = Array.from({ length: windows }, (_, i) => {
    const part = sent.filter(({ dueMs }) => Math.floor(dueMs / WINDOW_MS) === i);
    return part.length > 0 && part.every(({ status }) => status === 200) && p99Of(part) <= P99_MS;
  });
  const at = isGood.findIndex(
    (_, i) => isGood.slice(i, i + GOOD_WINDOWS).filter(Boolean).length === GOOD_WINDOWS,
  );
  return at < 0 ? -1 : at * WINDOW_MS;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
