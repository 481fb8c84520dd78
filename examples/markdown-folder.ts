// A folder of Markdown → passages with their place: headings, file and line.
import { mkdir, writeFile } from "node:fs/promises";
import { Sluice } from "sluice";
import { readFiles } from "sluice/read";

await mkdir("handbook/.drafts", { recursive: true }); // you already have such a folder
await writeFile(
  "handbook/locks.md",
  "---\ntags: [canal]\n---\n# Locks\n\nA lock lifts boats.\n\n## Filling\n\nOpen the upper paddles, and wait.\n",
);
await writeFile("handbook/notes.txt", "The weir is closed in winter.\n\nAsk the keeper.\n");

const skipped: string[] = [];
const documents = readFiles("handbook", {
  passages: { words: 120, overlap: 20 },
  onSkip: (name, why) => skipped.push(`${name} (${why})`),
});
const index = await Sluice.build(documents);
const { hits } = await index.search("how to fill a lock");
for (const { id, document } of hits) {
  const { of, line } = document.passage as { of: string; line: number };
  console.log(`${id}, line ${line}: ${document.title ?? of}`);
}
console.log("left out:", skipped.join(", "));
