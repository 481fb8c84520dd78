// A process for the torture test to kill, to trace and to disturb: it works on an index.
//
//   FOLDER SEED COMMITS    begins when it is told a line, if WAIT is set
//
// Says "ack N" after each commit, "backup N" after each backup of commit N, and "wrong …" for each difference that a reader finds.
// Its last line is "done OPERATIONS" or the error: "refused CODE MESSAGE" if it is ours, "failed STACK" if it is not.

import { once } from "node:events";
import { writeSync } from "node:fs";
import { SluiceError } from "../../src/support/errors/sluice-error.ts";
import { work } from "./workload.ts";

/** Writes a line at once: a line that waits in a stream would be lost with the process. */
const say = (line: string) => writeSync(1, `${line}\n`);

const [folder, seed, commits] = process.argv.slice(2);
if (process.env.WAIT) {
  say("ready");
  await once(process.stdin, "data");
  process.stdin.destroy();
}
try {
  const operations = await work(folder, Number(seed), Number(commits), {
    acknowledged: (commit) => say(`ack ${commit}`),
    backedUp: (commit) => say(`backup ${commit}`),
    wrong: (differences) => {
      for (const difference of differences) say(`wrong ${difference}`);
    },
  });
  say(`done ${operations}`);
} catch (error) {
  const { code, message, stack } = error as SluiceError;
  say(error instanceof SluiceError ? `refused ${code} ${message}` : `failed ${JSON.stringify(stack)}`);
}
