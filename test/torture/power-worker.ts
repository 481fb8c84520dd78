// Loses power in simulated ways, over and over, and looks at what is left. It is a process of its own, because damaged pages of
// LMDB may end a process.
//
//   RECORD ROOT SEED LOSSES    RECORD is a trace of worker.ts; ROOT is the folder that holds the index "index"
//
// Says "loss N SEED" before each, "lost …", "wrong …" or "repair …" for what is not as it must be, and "done" at the end.

import { mkdtempSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Sluice } from "../../src/sluice.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { Expected } from "../helpers/durability-script.ts";
import { checkBackup, checkIndex } from "./check-index.ts";
import { DiskModel } from "./disk-model.ts";
import { readTrace } from "./trace.ts";
import { work } from "./workload.ts";

const say = (line: string) => writeSync(1, `${line}\n`);

const [record, root, seedText, lossesText] = process.argv.slice(2);
const [seed, losses] = [Number(seedText), Number(lossesText)];
const random = mulberry32(seed);
const calls = readTrace(readFileSync(record, "latin1"), root);
const model = new DiskModel(root);
const expected = new Expected(seed);
/** After which calls the power goes, in order. */
const moments = Array.from({ length: losses }, () => Math.floor(random() * calls.length)).sort(
  (a, b) => a - b,
);
const scratch = mkdtempSync(join(process.env.TORTURE_SCRATCH ?? tmpdir(), "sluice-power-"));
let next = 0;
for (const [position, call] of calls.entries()) {
  model.apply(call);
  for (; next < losses && moments[next] === position; next++) await lose(next);
}
rmSync(scratch, { recursive: true, force: true });
say("done");

async function lose(loss: number): Promise<void> {
  say(`loss ${loss}`);
  const place = join(scratch, `loss-${loss}`);
  model.writeAfterLoss(place, random);
  const [acknowledged, backedUp] = [lastSaid("ack"), lastSaid("backup")];
  const folder = join(place, "index");
  expected.to(acknowledged);
  const { commit, lost, wrong, problems } = await checkIndex(folder, expected.copy(), acknowledged);
  const where = `seed ${seed}, loss ${loss} after call ${moments[loss]}, acknowledged ${acknowledged}, found ${commit}`;
  if (lost > 0) say(`lost ${where}`);
  for (const difference of wrong) say(`wrong ${where}: ${difference}`);
  for (const problem of problems) say(`repair ${where}: ${problem.replaceAll("\n", " | ")}`);
  const backup = await checkBackup(`${folder}.backup`, new Expected(seed), { acknowledged, backedUp });
  for (const problem of backup) say(`repair ${where}: ${problem.replaceAll("\n", " | ")}`);
  if (lost + wrong.length + problems.length === 0 && loss % 4 === 0) await goOn(folder, where);
  if (process.env.TORTURE_KEEP === undefined) rmSync(place, { recursive: true, force: true });
}

/** The last number that followed a word before the power went; 0 if none did. */
function lastSaid(word: string): number {
  const line = model.said.findLast((said) => said.startsWith(`${word} `));
  return line === undefined ? 0 : Number(line.slice(word.length + 1));
}

/** The next writer finds an index that it can change. */
async function goOn(folder: string, where: string): Promise<void> {
  try {
    await work(folder, seed, 2, {
      acknowledged() {},
      backedUp() {},
      wrong: (differences) => {
        for (const difference of differences) say(`wrong ${where}, two commits later: ${difference}`);
      },
    });
    const { problems } = await Sluice.verify(folder);
    for (const problem of problems) say(`repair ${where}, two commits later: ${problem}`);
  } catch (error) {
    say(`repair ${where}, two commits later: ${JSON.stringify((error as Error).stack)}`);
  }
}
