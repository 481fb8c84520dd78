// Search by words and meaning with the built-in encoder: you need no vectors, and nothing is downloaded. It runs by
// onnxruntime: npm install --ignore-scripts onnxruntime-node
import { Sluice } from "sluice";

const index = await Sluice.build(
  [
    { id: "lock", text: "A chamber that raises and lowers boats between two levels of water" },
    { id: "bauhaus", text: "A school of design in Weimar and Dessau" },
    { id: "heart", text: "Myocardial infarction is treated with aspirin and by opening the blocked artery" },
  ],
  { encoder: "builtin" },
);
for (const query of ["elevator for ships", "therapy of a heart attack"]) {
  const [best] = (await index.search(query)).hits; // no word in common: found by meaning
  console.log(query, "→", best.id);
}
const { matched, semantic } = await index.explain("opening an artery", "heart");
for (const { term, contribution } of matched) console.log(term, contribution.toFixed(2)); // BM25, times what context says
console.log("meaning", semantic.toFixed(2));
await index.close();
