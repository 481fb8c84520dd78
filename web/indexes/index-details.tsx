// How an index was built, and what it is made of.

import type { IndexAnswer } from "../../src/schemas/index.ts";
import { bytesText, countText, percentText, plainText } from "../text/numbers.ts";
import { Figures } from "./figures.tsx";
import { Segments } from "./segments.tsx";

const KERNELS = { wasm: "WebAssembly", webgpu: "WebGPU", opensearch: "OpenSearch" };

export function IndexDetails({ info }: { readonly info: IndexAnswer }) {
  const { slicingSettings: slicing, densifyCounts: counts, kernel, encoder, bm25 } = info;
  const isFull = slicing.strategy === "full";
  const collided = counts.collisions / Math.max(1, counts.terms);
  return (
    <details class="index-details">
      <summary>Details</summary>
      <Figures
        figures={[
          ["Slicing", slicing.strategy],
          ["Dimensions", isFull ? "one for every word" : countText(slicing.dims)],
          ["Words", countText(slicing.vocabularySize)],
          ["Words per dimension", countText(slicing.perSlice)],
          ["Lost to collisions", isFull ? "nothing" : percentText(collided, 1)],
          ["Weights", info.lexical === "bm25" ? bm25Text(bm25, encoder) : "given with the documents"],
          ["Analysis", info.analyzer],
          ["Encoder", encoder ? `${encoder.name} (${encoder.kind})` : "none"],
          ["λ", info.semanticDims > 0 ? plainText(info.lambda) : "no semantic part"],
          ["Kernel", `${KERNELS[kernel.name]}: ${kernel.reason}`],
          ["Rows", bytesText(info.rowBytes)],
          ["On disk", info.diskBytes === undefined ? "in memory only" : bytesText(info.diskBytes)],
          ["Commits and merges", countText(info.generation)],
          ["Changes", info.writable ? "allowed" : "read only"],
        ]}
      />
      <Segments segments={info.segments} />
    </details>
  );
}

function bm25Text(bm25: IndexAnswer["bm25"], encoder: IndexAnswer["encoder"]): string {
  if (!bm25) return "BM25";
  const learned = encoder?.kind === "anchored" ? ", times learned factors" : "";
  const { k1, b, averageLength } = bm25;
  return `BM25, k1 ${plainText(k1)}, b ${plainText(b)}, ${averageLength.toFixed(1)} words per document${learned}`;
}
