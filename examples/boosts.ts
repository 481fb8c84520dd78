// Rank recent and popular documents higher. A boost adds to the score by a field; `explain` says what each one adds.
import { Sluice } from "sluice";

const index = await Sluice.build(
  [
    { id: "old", text: "How a canal lock works", updated: "2024-01-31", votes: 3 },
    { id: "new", text: "How a canal lock works", updated: "2026-01-30", votes: 3 },
    { id: "liked", text: "How a canal lock works", updated: "2024-01-31", votes: 900 },
  ],
  { encoder: "none" },
);

const boosts = [
  { field: "updated", decay: "exp", scale: "30d", origin: "2026-01-31", weight: 2 },
  { field: "votes", log: true, weight: 0.5 },
] as const;
for (const { id, score, boost: added } of (await index.search("lock", { boosts })).hits)
  console.log(`${id}: ${added!.toFixed(2)} of ${score.toFixed(2)}`);
const explanation = await index.explain("lock", "new", { boosts });
for (const { field, contribution } of explanation.boosts!)
  console.log(`${field} adds ${contribution.toFixed(2)}`);
