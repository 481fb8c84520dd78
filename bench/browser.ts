// Measures the demo's dictionary in a browser tab: its size, the time to open it, and the time of a search, compared with
// Node in the same run. The network is loopback and nothing is throttled.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { build, type Rolldown } from "vite";
import { serveFolder } from "../demo/static-server.ts";
import { definitions } from "../demo/wordnet.ts";
import { Sluice } from "../src/index.ts";
import { formatTable } from "../src/lab/index.ts";
import { MEANING_ABOUT, measureByMeaning } from "./browser/by-meaning.ts";
import { askInNode, askInTab, K, median, openTab } from "./browser/tab.ts";
import type { Bench } from "./support/bench.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Times the export is opened, each with empty caches. */
const OPENINGS = 5;
/** Files of the bundle below this are one row. */
const SMALL_BYTES = 30_000;
/** Queries that are timed. */
const QUESTIONS = 200;

export const browser: Bench = {
  name: "browser",
  about:
    "WordNet's 117,791 definitions, exported, served as files on this machine, and searched by WebAssembly in a worker of headless " +
    `Chromium: p50 of ${QUESTIONS} queries (the first words of definitions), top ${K}, in a second round. "Whole" is from the call to ` +
    "the hits with their documents. The tab has fetched the documents before; Node reads them from memory. The network is loopback and nothing is throttled. " +
    MEANING_ABOUT,

  async run(print) {
    if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM}: no such file; set CHROMIUM to your Chromium`);
    const site = mkdtempSync(join(tmpdir(), "sluice-bench-"));
    const index = await Sluice.build(definitions(), { encoder: "none" });
    const started = performance.now();
    const { files, bytes } = await index.exportWeb(join(site, "index"));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    print(`\nexported in ${seconds} s: ${files} files, ${(bytes / 2 ** 20).toFixed(1)} MiB`);
    print(`\n${formatTable(["what a page can load", "KB", "KB, gzip"], await bundle(site))}`);
    const { server, url } = await serveFolder(site);
    const tabs = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      const openings: number[] = [];
      for (let i = 1; i < OPENINGS; i++) openings.push((await openTab(tabs, url, "/index/")).ms);
      const { page, ms } = await openTab(tabs, url, "/index/");
      openings.push(ms);
      print(`\nopened in ${median(openings)} ms, p50 of ${OPENINGS}, each with empty caches`);
      const questions = [...definitions()].filter((_, i) => i % 588 === 0).slice(0, QUESTIONS);
      const texts = questions.map(({ text }, i) =>
        text
          .split(" ")
          .slice(0, 3 + (i % 6))
          .join(" "),
      );
      const rows: string[][] = [];
      for (const ask of [() => askInTab(page, texts), () => askInNode(index, texts)]) {
        await ask();
        const { whole, searching } = await ask();
        rows.push([median(searching), median(whole)]);
      }
      const [tab, node] = rows;
      const table = [
        ["tab, worker", ...tab],
        ["Node", ...node],
      ];
      print(`\n${formatTable(["", "searching, ms", "whole, ms"], table)}`);
      await index.close();
      await measureByMeaning(site, tabs, url, print);
    } finally {
      await tabs.close();
      server.close();
      rmSync(site, { recursive: true, force: true });
    }
  },
};

/** Bundles the page and returns a row for each large file of the bundle, and one for all others. */
async function bundle(site: string): Promise<string[][]> {
  const result = await build({
    configFile: false,
    root: ROOT,
    base: "/assets/",
    logLevel: "error",
    worker: { format: "es" },
    build: {
      outDir: join(site, "assets"),
      target: "es2023",
      rollupOptions: { input: join(ROOT, "bench/browser/page.ts"), output: { entryFileNames: "page.js" } },
    },
  });
  writeFileSync(
    join(site, "index.html"),
    '<!doctype html><script type="module" src="/assets/page.js"></script>',
  );
  const [{ output }] = (Array.isArray(result) ? result : [result]) as Rolldown.RolldownOutput[];
  const parts = output.map((part) => {
    const code = Buffer.from(part.type === "chunk" ? part.code : part.source);
    const name = part.fileName.replace(/^assets\//, "").replace(/-[\w-]{8}\.js$/, ".js");
    return { name, bytes: code.length, gzipped: gzipSync(code).length };
  });
  const isSmall = ({ bytes }: { bytes: number }) => bytes < SMALL_BYTES;
  const small = parts.filter(isSmall);
  const total = (size: "bytes" | "gzipped") => small.reduce((sum, part) => sum + part[size], 0);
  const others = {
    name: `${small.length} smaller files`,
    bytes: total("bytes"),
    gzipped: total("gzipped"),
  };
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
  return [...parts.filter((part) => !isSmall(part)), others].map(({ name, bytes, gzipped }) => [
    name,
    kilobytes(bytes),
    kilobytes(gzipped),
  ]);
}
