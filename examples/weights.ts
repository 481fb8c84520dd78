// Your own term weights, from SPLADE, uniCOIL or DeepImpact: documents and queries have a number for each term.
import { Sluice } from "sluice";

const index = await Sluice.build(
  [
    { id: "lock", weights: { lock: 2.1, canal: 1.4, boat: 1.2, ship: 0.6 } },
    { id: "bauhaus", weights: { bauhaus: 2.8, weimar: 1.9, design: 1.1 } },
  ],
  { lexical: "weights", dims: 128 },
);

const { hits, terms } = await index.search({ weights: { ship: 1.5, canal: 0.8, museum: 0.3 } });
for (const { id, score } of hits) console.log(id, score.toFixed(2));
for (const { term, fate } of terms) console.log(`${term}: ${fate}`); // museum is unknown: no document has it
