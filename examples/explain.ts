// Explains a score: the contribution of every term and of the meaning, which add up to the score, and what happened to the
// other terms.
import { Sluice } from "sluice";

const index = await Sluice.build([
  {
    id: "bauhaus",
    title: "Bauhaus",
    text: "A school of art and building, founded in Weimar, moved to Dessau",
  },
  { id: "sluice", title: "Sluice", text: "A gate that controls the flow of water" },
]);

const query = "where was the bauhaus school of zeppelins built";
const { score, semantic, matched, missed, terms } = await index.explain(query, "bauhaus");
for (const { term, queryWeight, documentWeight, contribution } of matched) {
  console.log(
    `${term}: ${queryWeight.toFixed(2)} × ${documentWeight.toFixed(2)} = ${contribution.toFixed(2)}`,
  );
}
const sum = matched.reduce((total, { contribution }) => total + contribution, 0);
console.log(`words ${sum.toFixed(2)} + meaning ${semantic.toFixed(2)} = score ${score.toFixed(2)}`);
console.log("missed:", missed.map(({ term }) => term).join(", ") || "nothing");
console.log(
  "in no document:",
  terms
    .filter(({ fate }) => fate === "unknown")
    .map(({ term }) => term)
    .join(", "),
);
