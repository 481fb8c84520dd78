// Several threads search one copy of the index in memory and share one threshold. The hits are the same as with one thread.
import { Sluice } from "sluice";

const documents = Array.from({ length: 5000 }, (_, i) => ({
  id: String(i),
  text: `lock ${i % 97} of canal ${i % 13}`,
  vector: [Math.sin(i), Math.cos(i), Math.sin(i / 7), Math.cos(i / 7)],
}));
const query = { text: "lock 42 of canal 7", vector: [1, 0, 0, 1] };

const hits = [];
for (const threads of [1, 2]) {
  const index = await Sluice.build(documents, { threads });
  hits.push((await index.search(query, { k: 3 })).hits.map(({ id }) => id).join(" "));
  await index.close(); // ends its threads
}
console.log(hits[0] === hits[1] ? "the same hits:" : "other hits:", hits[0]);
