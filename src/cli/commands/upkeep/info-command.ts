// sluice info: an index → its settings and sizes.

import { tokensPerDoc } from "../../../densify/index.ts";
import { type IndexInfo, Sluice } from "../../../index.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import type { Command } from "../../terminal/command.ts";
import { bytesText, countOf, formatCount } from "../../terminal/format.ts";

export const infoCommand: Command = {
  name: "info",
  summary: "show what an index holds and how it was built",
  operands: "DIR",
  flags: JSON_FLAG,
  examples: ["sluice info my-index"],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    const info = args.closeAtEnd(await Sluice.open(folder, { readOnly: true })).info();
    terminal.out(args.is("json") ? `${JSON.stringify(info)}\n` : infoText(info));
  },
};

function infoText({
  docs,
  slicingSettings: slicing,
  lexical,
  analyzer,
  bm25,
  semanticDims,
  lambda,
  encoder,
  densifyCounts: counts,
  droppedShare,
  sharedCells,
  positionBytes,
  fieldWeights,
  fieldBytes,
  rowBytes,
  generation,
  segments,
  diskBytes,
}: IndexInfo) {
  const deleted = segments.reduce((sum, segment) => sum + segment.deleted, 0);
  const facts: [string, string][] = [
    [
      "documents",
      `${formatCount(docs)}${counts.empty > 0 ? `, ${formatCount(counts.empty)} of them empty` : ""}`,
    ],
    [
      "words",
      bm25
        ? `BM25, k1 ${bm25.k1}, b ${bm25.b}, ${bm25.averageLength.toFixed(1)} terms on average` +
          `${encoder?.kind === "anchored" ? ", times learned factors" : ""}`
        : lexical,
    ],
    ...(fieldWeights === undefined
      ? []
      : ([
          [
            "text fields",
            `${Object.entries(fieldWeights)
              .map(([name, weight]) => `${name} × ${weight}`)
              .join(", ")}; counts of ${bytesText(fieldBytes ?? 0)}`,
          ],
        ] satisfies [string, string][])),
    ["analyzer", analyzer],
    [
      "vocabulary",
      `${formatCount(slicing.vocabularySize)} terms, fingerprint ${slicing.vocabularyFingerprint}`,
    ],
    [
      "slicing",
      `${slicing.strategy}, ${formatCount(slicing.dims)} slices of ${formatCount(slicing.perSlice)}` +
        `${slicing.discard > 0 ? `, first ${slicing.discard} ids discarded` : ""}` +
        `${slicing.seed !== undefined ? `, seed ${slicing.seed}` : ""}` +
        `${sharedCells > 0 ? `, ${formatCount(sharedCells)} terms share a cell` : ""}`,
    ],
    [
      "terms",
      `${tokensPerDoc(counts).toFixed(2)} of ${(counts.terms / Math.max(1, counts.docs)).toFixed(2)} per document; ` +
        `${formatCount(counts.collisions)} collisions, ${formatCount(counts.discarded)} discarded, ` +
        `${formatCount(counts.unknown)} unknown, ${formatCount(counts.weightless)} without weight` +
        `${droppedShare > 0 ? `; ${(100 * droppedShare).toFixed(2)} % of the terms were dropped` : ""}`,
    ],
    ["semantic part", semanticDims > 0 ? `${semanticDims} dims, λ ${lambda}` : "none"],
    ...(encoder
      ? ([
          [
            "encoder",
            `${encoder.name}${encoder.kind === encoder.name ? "" : `, ${encoder.kind}`}, fingerprint ${encoder.fingerprint}${encoder.queries ? `; queries by ${encoder.queries}` : ""}`,
          ],
        ] satisfies [string, string][])
      : []),
    ...(rowBytes === 0 && counts.docs > 0
      ? []
      : ([["rows", bytesText(rowBytes)]] satisfies [string, string][])),
    ...(positionBytes === undefined
      ? []
      : ([["positions", bytesText(positionBytes)]] satisfies [string, string][])),
    ...(diskBytes === undefined
      ? []
      : ([
          ["on disk", bytesText(diskBytes)],
          ["generation", formatCount(generation)],
          ["segments", `${segments.length}${deleted > 0 ? `, ${countOf(deleted, "deleted document")}` : ""}`],
          ...segments.map((segment): [string, string] => [
            `  ${segment.name}`,
            `${countOf(segment.docs, "document")}${segment.deleted > 0 ? `, ${formatCount(segment.deleted)} deleted` : ""}, ` +
              bytesText(segment.bytes),
          ]),
        ] satisfies [string, string][])),
  ];
  return `${facts.map(([name, value]) => `${name.padEnd(14)} ${value}`).join("\n")}\n`;
}
