import { Sluice } from "sluice";

const index = await Sluice.open("./my-index"); // created on the first commit
await index.upsert([
  { id: "1", title: "Bauhaus", text: "A school of art founded in Weimar, moved to Dessau", year: 1919 },
  { id: "2", title: "Lock", text: "A chamber that raises and lowers boats between two levels of water" },
  { id: "3", title: "Sluice", text: "A gate that controls the flow of water" },
]);
await index.commit(); // all changes are stored and visible to searches at once

const { hits } = await index.search("which gate controls water?", { k: 2 });
for (const { id, score, document } of hits) console.log(id, score.toFixed(2), document.title);

const { matched } = await index.explain("which gate controls water?", "3");
for (const { term, contribution } of matched) console.log(term, contribution.toFixed(2)); // the contributions add up to the score

await index.close();
