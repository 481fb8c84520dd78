// Runs a bench: npm run bench -- NAME [--keep] [--json FILE] [FLAGS]. --keep writes the output to bench/runs, with the command, the
// commit and the machine, and the figures of all tables beside it. --json writes the figures to another file.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { browser } from "./browser.ts";
import { cluster } from "./cluster.ts";
import { compare } from "./compare.ts";
import { encode } from "./encode.ts";
import { facets } from "./facets.ts";
import { gpu } from "./gpu.ts";
import { hybrid } from "./hybrid.ts";
import { kernels } from "./kernels.ts";
import { languages } from "./languages.ts";
import { lexical } from "./lexical.ts";
import { opens } from "./opens.ts";
import { phrases } from "./phrases.ts";
import { rerank } from "./rerank.ts";
import { scale } from "./scale.ts";
import { serve } from "./serve.ts";
import { slicing } from "./slicing.ts";
import type { Bench } from "./support/bench.ts";
import { figuresOf, keptFigures } from "./support/figures.ts";
import { topics } from "./topics.ts";
import { trainStep } from "./train-step.ts";
import { typos } from "./typos.ts";
import { zeroShot } from "./zero-shot.ts";

const BENCHES: readonly Bench[] = [
  browser,
  cluster,
  compare,
  encode,
  facets,
  gpu,
  hybrid,
  kernels,
  languages,
  lexical,
  opens,
  phrases,
  rerank,
  scale,
  serve,
  slicing,
  topics,
  trainStep,
  typos,
  zeroShot,
];

const [name, ...flags] = process.argv.slice(2);
const bench = BENCHES.find((candidate) => candidate.name === name);
const benchFlags = [...flags]; // what is left after the flags of this program
const isKept = take("--keep").length > 0;
const [, json] = take("--json", 1);
if (!bench || (!bench.flags && benchFlags.length > 0)) {
  console.error("npm run bench -- NAME [--keep] [--json FILE] [FLAGS]\n");
  for (const { name, about, flags = "" } of BENCHES)
    console.error(`  ${name.padEnd(10)} ${flags && `${flags} `}${about}`);
  process.exit(2);
}

/** Removes a flag and its values from the flags of the bench, and returns them. What follows -- belongs to the bench. */
function take(flag: string, values = 0): string[] {
  const [at, end] = [benchFlags.indexOf(flag), benchFlags.indexOf("--")];
  return at < 0 || (end >= 0 && at > end) ? [] : benchFlags.splice(at, 1 + values);
}

const printed: string[] = [];
try {
  await bench.run((text) => {
    console.log(text);
    printed.push(text);
  }, benchFlags);
} catch (error) {
  console.error(`bench ${name}: ${(error as Error).message}`);
  process.exit(2);
}

if (json !== undefined) {
  const figures = Object.fromEntries(figuresOf(printed.join("\n")));
  writeFileSync(json, `${JSON.stringify({ bench: name, flags: benchFlags, figures }, null, 2)}\n`);
}
if (isKept) {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain") === "" ? "" : " with uncommitted changes";
  const [{ model }] = cpus();
  const path = fileURLToPath(new URL(`../../bench/runs/${name}`, import.meta.url));
  const head = [
    `# ${name}`,
    "",
    bench.about,
    "",
    `\`npm run bench -- ${[name, ...flags].join(" ")}\`, ${new Date().toISOString().slice(0, 10)}, commit ${git("rev-parse", "--short", "HEAD")}${changed}, ` +
      `Node ${process.version}, ${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    "",
  ];
  const kept = `${[...head, ...printed].join("\n")}\n`;
  writeFileSync(`${path}.md`, kept);
  writeFileSync(`${path}.json`, keptFigures(name, kept));
  console.log(`\nkept in bench/runs/${name}.md and ${name}.json`);
}
