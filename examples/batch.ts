// Many queries in one call. The index is read once for all of them, which is faster than one search after the other.
import { Sluice } from "sluice";

const words = ["water", "gate", "lock", "boat", "canal", "weir", "tide", "flow", "dam", "mill"];
const texts = Array.from({ length: 5000 }, (_, i) =>
  [3, 5, 7, 11].map((step) => words[(i * step) % 10]).join(" "),
);
const index = await Sluice.build(texts.map((text, i) => ({ id: String(i), text })));

const queries = words.flatMap((a) => words.map((b) => `${a} ${b}`));
const answers = await index.searchAll(queries, { k: 5 });
const alone = await index.search(queries[42], { k: 5 });
const same = answers[42].hits.every(
  ({ id, score }, i) => id === alone.hits[i].id && score === alone.hits[i].score,
);
console.log(
  `${answers.length} answers of ${answers[0].hits.length} hits; a single search gives ${same ? "the same" : "another"} answer`,
);
