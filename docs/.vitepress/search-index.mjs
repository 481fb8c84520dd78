// The pages → an index of their passages, by words and by meaning, as files that the page's search box opens in a worker.
import { readFileSync } from "node:fs";
import { Sluice } from "../../dist/src/index.js";
import { readFiles } from "../../dist/src/read/index.js";
import { headingsOf, plainText } from "./headings.mjs";
import { addressOf, pages, root } from "./pages.mjs";

/** Words of a passage at most: what a reader sees of a hit stands around the words that were asked for. */
const PASSAGE_WORDS = 120;

/** Writes the index into a folder, and says how many passages and bytes it has. */
export async function writeSearchIndex(folder) {
  const index = await Sluice.build(passages());
  try {
    return await index.exportWeb(folder);
  } finally {
    await index.close();
  }
}

async function* passages() {
  for (const { file, route, title } of pages()) {
    // The values of constants are no prose: the nearest text to a word that means nothing would be one of them.
    if (/^api\/.*\/variables\//.test(route)) continue;
    const headings = headingsOf(readFileSync(root + file, "utf8"));
    let number = 0;
    for await (const passage of readFiles(root + file, { passages: { words: PASSAGE_WORDS } })) {
      if (passage.id === undefined) continue; // a file without words
      const text = plainText(passage.text);
      if (text === "") continue;
      const above = headings.findLast(({ line }) => line <= passage.passage.line);
      // The first heading of a page is the page itself.
      const hash = above && above !== headings[0] ? `#${above.id}` : "";
      const address = addressOf(route);
      yield {
        id: `${address}#${++number}`,
        title: plainText(passage.title ?? title),
        text,
        address: address + hash,
      };
    }
  }
}
