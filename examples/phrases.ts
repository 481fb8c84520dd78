// Words that stand side by side: demanded, refused, preferred, or typed by users with operators. The index keeps positions.
import { type Query, Sluice } from "sluice";

const index = await Sluice.build(
  [
    { id: "york", text: "A hotel in New York, near a canal" },
    { id: "old", text: "York is old, and new hotels open there" },
    { id: "lock", text: "The lock of a canal raises boats" },
  ],
  { encoder: "none", positions: true },
);

const show = async (query: Query, options = {}) => {
  const { hits } = await index.search(query, options);
  console.log(JSON.stringify(query), "→", hits.map(({ id }) => id).join(", "));
};
await show({ text: "hotel", must: [{ phrase: "new york" }] });
await show({ text: "canal", mustNot: ["boats"] });
await show({ text: "hotel", prefer: [{ phrase: "new york", weight: 2 }] });
await show('hotel "new york"', { syntax: true });
