// npm start: serves the demo's index with the search page. Indexes WordNet first, if there is no index yet.

import { main } from "../src/cli/cli.ts";
import { ProgressLine } from "../src/cli/terminal/progress-line.ts";
import { Sluice } from "../src/index.ts";
import { FOLDER, indexDictionary } from "./corpus.ts";
import { terminal } from "./terminal.ts";

if (!(await Sluice.exists(FOLDER))) {
  terminal.err("indexing the definitions of WordNet; this happens once\n");
  const progress = new ProgressLine(terminal);
  const index = await indexDictionary(({ task, done, total }) => progress.update(task, done, total));
  progress.clear();
  await index.close();
}
process.exitCode = await main(
  ["serve", `dictionary=${FOLDER}`, "--log", "warn", ...process.argv.slice(2)],
  terminal,
);
