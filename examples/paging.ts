// Pages of results: `offset` skips the best hits. Pages have no gaps and no repeated hits, as long as no commit comes between them.
import { Sluice } from "sluice";

const documents = Array.from({ length: 25 }, (_, i) => ({
  id: `d${i}`,
  text: `water ${"flows ".repeat(i + 1)}`,
}));
const index = await Sluice.build(documents);

for (let page = 0; ; page++) {
  const { hits } = await index.search("water", { k: 10, offset: page * 10 });
  if (hits.length === 0) break;
  console.log(`page ${page + 1}: ${hits.length} hits, ${hits[0].id} to ${hits.at(-1)!.id}`);
}
