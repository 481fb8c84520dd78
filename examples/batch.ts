// Many questions at once: what is read is read for all of them, which is faster than asking one by one.
import { Sluice } from "sluice";

const words = ["water", "gate", "lock", "boat", "canal", "weir", "tide", "flow", "dam", "mill"];
const texts = Array.from({ length: 5000 }, (_, i) =>
  [3, 5, 7, 11].map((step) => words[(i * step) % 10]).join(" "),
);
const index = await Sluice.build(texts.map((text, i) => ({ id: String(i), text })));

const questions = words.flatMap((a) => words.map((b) => `${a} ${b}`));
const answers = await index.searchAll(questions, { k: 5 });
const alone = await index.search(questions[42], { k: 5 });
const same = answers[42].hits.every(
  ({ id, score }, i) => id === alone.hits[i].id && score === alone.hits[i].score,
);
console.log(
  `${answers.length} answers of ${answers[0].hits.length} hits; asked alone it is ${same ? "the same" : "another"}`,
);
