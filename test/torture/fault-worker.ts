// Works on an index while calls of the file layer fail, and looks at the index after each error.
//
//   FOLDER SEED ERRORS    ends after so many errors
//
// Says "error …" for each, "lost …", "wrong …" or "repair …" for what is not as it must be, and "done OPERATIONS FAULTS COMMITS".

import { writeSync } from "node:fs";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { Expected } from "../helpers/durability-script.ts";
import { checkIndex } from "./check-index.ts";
import { FaultyFiles } from "./faulty-files.ts";
import { work } from "./workload.ts";

const say = (line: string) => writeSync(1, `${line.replaceAll("\n", " | ")}\n`);

const [folder, seedText, errorsText] = process.argv.slice(2);
const [seed, errors] = [Number(seedText), Number(errorsText)];
const random = mulberry32(seed);
const files = await FaultyFiles.install(random);
const expected = new Expected(seed);
/** The most commits without an error. */
const MOST_COMMITS = 30;
let operations = 0;
let acknowledged = 0;
for (let error = 0; error < errors; error++) {
  let message = "";
  const where = `seed ${seed}, error ${error}`;
  // Rarely, so that some commits pass, and often, so that what follows an error fails, too.
  files.share = [0.002, 0.01, 0.05][Math.floor(random() * 3)];
  try {
    operations += await work(folder, seed, MOST_COMMITS, {
      acknowledged: (commit) => {
        acknowledged = commit;
      },
      backedUp() {},
      wrong: (differences) => {
        for (const difference of differences) say(`wrong ${where}: ${difference}`);
      },
    });
  } catch (failure) {
    const { code, stack } = failure as NodeJS.ErrnoException;
    ({ message } = failure as Error);
    // An error without a code is nobody's: the code under test lost its way.
    say(code === undefined ? `wrong ${where}: ${stack}` : `error ${code} ${message}`);
  }
  files.share = 0;
  const { commit, lost, wrong, problems } = await checkIndex(folder, expected, acknowledged);
  if (lost > 0) say(`lost ${where}: acknowledged ${acknowledged}, found ${commit}`);
  for (const difference of wrong) say(`wrong ${where}: ${difference}`);
  for (const problem of problems) say(`repair ${where}: ${problem}`);
  if (commit > acknowledged && /^(?!merging).*last commit is unchanged/.test(message)) {
    say(`wrong ${where}: commit ${commit} is there, although it failed: ${message}`);
  }
  acknowledged = Math.max(acknowledged, commit);
}
say(`done ${operations} ${files.faults} ${expected.commit}`);
