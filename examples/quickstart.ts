import { Sluice } from "sluice";

const index = await Sluice.open("./my-index"); // created on the first commit
await index.upsert([
  { id: "insomnia", text: "Insomnia means lying awake for hours although you are tired" },
  { id: "infarction", text: "Myocardial infarction is treated by opening the blocked artery" },
  { id: "lock", text: "A lock raises and lowers boats between two levels of a canal" },
]);
await index.commit(); // on disk, and visible to searches

for (const query of ["unable to sleep at night", "heart attack", "boats in a canal"]) {
  const { hits } = await index.search(query, { k: 1 });
  for (const { id, score, lexical, semantic } of hits)
    console.log(`${query} → ${id}: ${lexical.toFixed(1)} + ${semantic.toFixed(1)} = ${score.toFixed(1)}`);
}
await index.close();
