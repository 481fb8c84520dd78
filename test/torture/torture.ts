// Kills writers, loses power and lets calls fail, for a while, and counts what was lost:
//
//   npm run torture -- --seed 1 --minutes 10
//
// Rounds are numbered from the seed, and each begins with a new index. A round that fails prints its seed: the same seed with
// `--rounds 1` repeats it. (Which thread writes first is up to the system, so a rare fault may need several runs.)

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Rounds, whyNoTrace } from "./rounds.ts";
import { isSound, newTally, tallyTable } from "./tally.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "10" },
    rounds: { type: "string" },
  },
});
const SIZE = { commits: 60, losses: 250, kills: 40, errors: 25 };
/** Between two lines of progress, in ms. */
const PROGRESS_MS = 60_000;

const whyNot = whyNoTrace();
if (whyNot) console.log(`${whyNot}: no power losses, and no failed calls of LMDB`);
const first = Number(values.seed);
const until = Date.now() + Number(values.minutes) * 60_000;
const most = Number(values.rounds ?? Number.POSITIVE_INFINITY);
const tally = newTally();
const rounds = new Rounds(dirname(fileURLToPath(import.meta.url)), SIZE, tally);
const progress = setInterval(
  () => console.log(`${new Date().toISOString()}\n${tallyTable(tally)}`),
  PROGRESS_MS,
);

/** Lanes side by side: processes that are killed mostly wait for the disk. */
const lanes = [
  (seed: number) => rounds.kill(seed + 1_000_000, whyNot === undefined),
  (seed: number) => rounds.kill(seed + 2_000_000, whyNot === undefined),
  async (seed: number) => [
    ...(await rounds.kill(seed, whyNot === undefined)),
    ...(await rounds.errors(seed)),
  ],
  async (seed: number) => (whyNot ? rounds.errors(seed + 500_000) : rounds.power(seed)),
];
await Promise.all(
  lanes.map(async (lane) => {
    for (let round = 0; round < most && Date.now() < until; round++) {
      for (const fault of await lane(first + round)) console.log(fault);
      tally.rounds++;
    }
  }),
);
clearInterval(progress);
console.log(tallyTable(tally));
process.exitCode = isSound(tally) ? 0 : 1;
