// What people type: misspelled words, words that are not finished, and other words for the same thing.
import { Sluice } from "sluice";

const index = await Sluice.build(
  [
    { id: "lock", text: "A lock raises and lowers boats between two levels of a canal" },
    { id: "venice", text: "Venice has canals instead of streets" },
    { id: "oxford", text: "The university of Oxford" },
  ],
  { encoder: "none" },
);

const corrected = await index.search("cnal", { typos: true });
console.log("corrected:", corrected.hits.map(({ id }) => id).join(", "));
const completed = await index.search("universit", { prefix: true });
console.log("completed:", completed.hits.map(({ id }) => id).join(", "));
const meant = await index.search("waterway", { synonyms: [["waterway", "canal"]] });
console.log("synonyms:", meant.hits.map(({ id }) => id).join(", "));
for (const { text, docs } of await index.suggest("old cana")) console.log(`suggested: ${text} (${docs})`);
