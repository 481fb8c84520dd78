// The idea of the paper, step by step: many weighted terms become a short row with one term per slice, and the row still
// knows which terms it holds.
import { Densifier, revert, Slicing, Vocabulary } from "sluice/densify";

const bag = { bauhaus: 2.9, weimar: 2.1, dessau: 1.8, school: 0.9, art: 0.8, founded: 0.5, moved: 0.4 };
const vocabulary = Vocabulary.sorted(Object.keys(bag));
for (const dims of [7, 4, 2]) {
  const slicing = new Slicing(vocabulary, { strategy: "stride", dims });
  const ids = Object.keys(bag).map((term) => vocabulary.findId(term)!);
  const { row } = new Densifier(slicing).densify({ ids, weights: Object.values(bag) });
  const words = revert(slicing, row).map(({ term, weight }) => `${term} ${weight.toFixed(1)}`);
  console.log(`${dims} slices: ${words.join(", ")}`); // when two terms share a slice, the heavier one stays
}
