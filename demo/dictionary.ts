// A reverse dictionary: you describe a thing, and it finds the word. It indexes the definitions of WordNet, answers a few
// queries, explains one hit, and prints what to try next.

import { relative } from "node:path";
import { explanationText } from "../src/cli/commands/search/explain-command.ts";
import { formatCount, painter } from "../src/cli/terminal/format.ts";
import { ProgressLine } from "../src/cli/terminal/progress-line.ts";
import { FOLDER, indexDictionary } from "./corpus.ts";
import { terminal } from "./terminal.ts";

const paint = painter(terminal);
const print = (text = "") => terminal.out(`${text}\n`);

const QUESTIONS = [
  "a fear of spiders",
  "a gate that controls the flow of water",
  "instrument for measuring the pressure of the air",
  "unable to sleep at night",
  "someone who collects stamps",
  "to make a noise like a cat",
];

print(paint("bold", "A reverse dictionary: describe it, and find the word"));
const progress = new ProgressLine(terminal);
const started = performance.now();
const index = await indexDictionary(({ task, done, total }) => progress.update(task, done, total));
progress.clear();
const { slicingSettings: slicing } = index.info();
print(
  `${formatCount(index.docs)} definitions of WordNet 3.1, ${formatCount(slicing.vocabularySize)} different terms, ` +
    `indexed in ${((performance.now() - started) / 1000).toFixed(1)} s`,
);

for (const question of QUESTIONS) {
  const { hits, stats } = await index.search(question, { k: 3 });
  print();
  print(`${paint("cyan", question)}  ${paint("dim", `${stats.firstStageMs.toFixed(0)} ms`)}`);
  for (const { score, document } of hits) {
    const { words, text, kind } = document as { words: string[]; text: string; kind: string };
    print(
      `  ${paint("green", score.toFixed(1).padStart(4))}  ${paint("bold", words.join(", "))} (${kind}): ${text}`,
    );
  }
}

const question = QUESTIONS[1];
const [best] = (await index.search(question, { k: 1 })).hits;
print();
print(`Why the first answer to "${question}"?`);
terminal.out(explanationText(await index.explain(question, best.id), terminal));

await index.close();
const shown = relative(process.cwd(), FOLDER);
print();
print(`The index is in ${shown}. What to try next:`);
print(`  npm run -s sluice -- search ${shown} "the study of insects"     another query`);
print(
  `  npm run -s sluice -- search ${shown} "the study of insects" --theta 5 --candidates 100     in two stages`,
);
print(`  npm run -s sluice -- search ${shown} "small dog" --filter '{"kind": "noun"}'     only nouns`);
print(
  `  npm run -s sluice -- index my-index --jsonl FILE     your own documents: {"id": "1", "text": "…"} a line`,
);
print("  npm start     the same on a page");
print("  npm run -s sluice -- --help     all commands");
print('  import { Sluice } from "sluice"     the library: see README.md');
