// Runs a bench: npm run bench -- NAME [--keep]. With --keep it writes the output to bench/runs, with the command, the commit
// and the machine.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import type { Bench } from "./bench.ts";
import { browser } from "./browser.ts";
import { encode } from "./encode.ts";
import { gpu } from "./gpu.ts";
import { hybrid } from "./hybrid.ts";
import { kernels } from "./kernels.ts";
import { lexical } from "./lexical.ts";
import { rerank } from "./rerank.ts";
import { scale } from "./scale.ts";
import { serve } from "./serve.ts";
import { slicing } from "./slicing.ts";
import { topics } from "./topics.ts";
import { trainStep } from "./train-step.ts";
import { zeroShot } from "./zero-shot.ts";

const BENCHES: readonly (Bench & { readonly flags?: string })[] = [
  slicing,
  topics,
  browser,
  encode,
  gpu,
  hybrid,
  kernels,
  lexical,
  rerank,
  scale,
  serve,
  trainStep,
  zeroShot,
];

const [name, ...flags] = process.argv.slice(2);
const bench = BENCHES.find((candidate) => candidate.name === name);
if (!bench || (!bench.flags && flags.some((flag) => flag !== "--keep"))) {
  console.error("npm run bench -- NAME [--keep]\n");
  for (const { name, about, flags = "" } of BENCHES)
    console.error(`  ${name.padEnd(10)} ${flags && `${flags} `}${about}`);
  process.exit(2);
}

const printed: string[] = [];
try {
  await bench.run((text) => {
    console.log(text);
    printed.push(text);
  });
} catch (error) {
  console.error(`bench ${name}: ${(error as Error).message}`);
  process.exit(2);
}

if (flags.includes("--keep")) {
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain") === "" ? "" : " with uncommitted changes";
  const [{ model }] = cpus();
  const path = fileURLToPath(new URL(`../../bench/runs/${name}.md`, import.meta.url));
  const head = [
    `# ${name}`,
    "",
    bench.about,
    "",
    `\`npm run bench -- ${[name, ...flags].join(" ")}\`, ${new Date().toISOString().slice(0, 10)}, commit ${git("rev-parse", "--short", "HEAD")}${changed}, ` +
      `Node ${process.version}, ${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    "",
  ];
  writeFileSync(path, `${[...head, ...printed].join("\n")}\n`);
  console.log(`\nkept in bench/runs/${name}.md`);
}
