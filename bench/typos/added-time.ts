// What `typos` adds to the time of a query: titles of the ACL anthology with 0, 1 and 2 edits, searched in its abstracts, which
// have
// 78,881 terms. A goal is marked met or missed.

import { Sluice } from "../../src/index.ts";
import { formatTable, percentiles } from "../../src/lab/index.ts";
import { readText } from "../../src/support/files/text-file.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { dataPath } from "../support/bench.ts";
import { printProgress } from "../support/progress.ts";
import { mistype } from "./mistype.ts";

/** The most milliseconds that a correction should add. */
const GOAL = 1;
/** Queries that are asked before times are taken. */
const WARM_UP = 200;
/** How often each query is asked in both ways. The analyzer knows the words that it tried in the first round. */
const ROUNDS = 5;

export async function measureAddedTime(print: (text: string) => void, queries: number): Promise<void> {
  printProgress("typos: time on the ACL anthology");
  const lines = (await readText(dataPath("pairs", "acl-title-abstract.jsonl.gz"))).trimEnd().split("\n");
  const pairs = lines.map((line): { query: string; positive: string } => JSON.parse(line));
  const documents = pairs.map(({ positive }, i) => ({ id: String(i), text: positive }));
  const index = await Sluice.build(documents, { analyzer: "english", encoder: "none" });
  const step = Math.floor(pairs.length / (WARM_UP + queries));
  const titles = pairs.filter((_, i) => i % step === 0).map(({ query }) => query);
  const time = async (text: string, typos: boolean) => {
    const started = performance.now();
    await index.search(text, { k: 10, typos });
    return performance.now() - started;
  };
  const rows: string[][] = [];
  const goals: string[] = [];
  for (const edits of [0, 1, 2]) {
    const random = mulberry32(19);
    const [first, fastest]: [number[], number[]] = [[], []];
    for (const [i, title] of titles.slice(0, WARM_UP + queries).entries()) {
      let text = title;
      for (let edit = 0; edit < edits; edit++) text = mistype(text, random);
      const [plain, corrected]: [number[], number[]] = [[], []];
      for (let round = 0; round < (i < WARM_UP ? 1 : ROUNDS); round++) {
        plain.push(await time(text, false));
        corrected.push(await time(text, true));
      }
      if (i < WARM_UP) continue;
      first.push(corrected[0] - plain[0]);
      fastest.push(Math.min(...corrected) - Math.min(...plain));
    }
    for (const [name, added] of Object.entries({ first, fastest })) {
      const mean = added.reduce((sum, ms) => sum + ms, 0) / added.length;
      const { p50, p95 } = percentiles(added);
      rows.push([String(edits), name, ...[mean, p50, p95].map((ms) => ms.toFixed(3))]);
      if (name === "first" && edits > 0)
        for (const [what, ms] of Object.entries({ mean, p95 }))
          goals.push(
            `- ${ms <= GOAL ? "met" : "missed"}: ${edits} edits, ${what}: ${ms.toFixed(2)} ms, at most ${GOAL}`,
          );
    }
  }
  print(`\n## What typos adds: ${documents.length} documents, ${queries} queries\n`);
  print(formatTable(["edits", "time", "mean, ms", "p50, ms", "p95, ms"], rows));
  print(`\n${goals.join("\n")}`);
  await index.close();
}
