// Words and meaning in one score, with your own vectors: here three made-up dimensions (ships, gates, art).
import { Sluice } from "sluice";

const index = await Sluice.build([
  { id: "caravel", text: "A small vessel with sails", vector: [1, 0, 0] },
  { id: "portcullis", text: "A heavy gate that is lowered", vector: [0, 1, 0] },
  { id: "seascape", text: "A painting of a ship in a storm", vector: [0.4, 0, 0.9] },
]);

const query = { text: "ship", vector: [1, 0, 0] };
for (const lambda of [0, 1, 5]) {
  const { hits } = await index.search(query, { lambda, k: 2 });
  console.log(`λ = ${lambda}: ${hits.map(({ id, score }) => `${id} ${score.toFixed(2)}`).join(", ")}`);
}
