// npm start: the demo's index on a page. Indexes WordNet first, where that was not done before.

import { main } from "../src/cli/cli.ts";
import { ProgressLine } from "../src/cli/progress-line.ts";
import { Sluice } from "../src/index.ts";
import { FOLDER, indexDictionary } from "./corpus.ts";
import { terminal } from "./terminal.ts";

if (!(await Sluice.exists(FOLDER))) {
  terminal.err("indexing WordNet's definitions, once\n");
  const progress = new ProgressLine(terminal);
  const index = await indexDictionary(({ stage, done, total }) => progress.update(stage, done, total));
  progress.clear();
  await index.close();
}
process.exitCode = await main(
  ["serve", `dictionary=${FOLDER}`, "--log", "warn", ...process.argv.slice(2)],
  terminal,
);
