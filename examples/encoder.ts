// An encoder makes the vectors of documents and queries. Needs onnxruntime-node, and a folder with model.onnx and tokenizer.json:
//   SLUICE_MODEL=models/all-MiniLM-L6-v2 npx tsx encoder.ts

import { Sluice } from "sluice";
import { Encoder } from "sluice/encode";

const encoder = await Encoder.open(process.env.SLUICE_MODEL!, {
  description: { kind: "dense", pooling: "mean", normalize: true, maxLength: { query: 256, passage: 256 } },
});
const index = await Sluice.build(
  [
    { id: "lock", text: "A chamber that raises and lowers boats between two levels of water" },
    { id: "bauhaus", text: "A school of design in Weimar and Dessau" },
  ],
  { encoder, lambda: 3 },
);
const { hits } = await index.search("elevator for ships"); // no word in common: found by meaning
for (const { id, lexical, semantic } of hits) console.log(id, lexical.toFixed(2), semantic.toFixed(2));
await index.close();
await encoder.close(); // it was given to the index, so it stays ours
