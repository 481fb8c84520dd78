// The figures of the paper (Lin & Lin, A Dense Representation Framework for Lexical and Semantic Matching). Reports show
// them beside ours. The paper used other collections, other encoders and another machine: an RTX A6000, or one thread of
// a Xeon Platinum 8160.

import type { ReportTable } from "../../report/report.ts";

function paperTable(caption: string, header: string[], rows: string[][]): ReportTable {
  return { caption: `The paper: ${caption}`, header, rows, elsewhere: rows.map((_, i) => i) };
}

const rowsOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));

export const TABLE_4 = paperTable(
  "Table 4, MS MARCO passages (dev), GPU",
  ["", "tokens/doc", "MRR@10", "R@1000", "GB", "ms"],
  rowsOf(`
BM25, inverted index | 30.11 | .188 | .858 | 0.7 | 40
BM25, DLR 768 | 29.18 | .180 (−4.3 %) | .845 (−1.5 %) | 26 | 26
BM25, DLR 256 | 28.41 | .177 (−5.9 %) | .834 (−2.8 %) | 8.6 | 23
BM25, DLR 128 | 26.62 | .169 (−10.1 %) | .816 (−4.9 %) | 4.3 | 22
uniCOIL, inverted index | 67.96 | .351 | .958 | 1.3 | 291
uniCOIL, DLR 768 | 64.15 | .349 (−0.6 %) | .957 (−0.1 %) | 20 | 25
uniCOIL, DLR 256 | 58.62 | .344 (−2.0 %) | .952 (−0.6 %) | 6.4 | 22
uniCOIL, DLR 128 | 52.48 | .335 (−4.6 %) | .944 (−1.5 %) | 3.3 | 22
SPLADE, inverted index | 91.50 | .340 | .965 | 2.6 | 475
SPLADE, DLR 768 | 86.33 | .336 (−1.2 %) | .963 (−0.2 %) | 20 | 28
SPLADE, DLR 256 | 76.45 | .326 (−4.2 %) | .959 (−0.6 %) | 6.4 | 25
SPLADE, DLR 128 | 64.35 | .318 (−6.5 %) | .951 (−1.5 %) | 3.3 | 24
DeepImpact, inverted index | 71.61 | .327 | .948 | 1.4 | 285
DeepImpact, DLR 768 | 65.28 | .324 (−0.9 %) | .942 (−0.6 %) | 26 | 26
DeepImpact, DLR 256 | 59.90 | .316 (−3.4 %) | .933 (−1.6 %) | 8.6 | 24
DeepImpact, DLR 128 | 52.74 | .304 (−7.0 %) | .923 (−2.6 %) | 4.3 | 22
DeLADE, flat | 30522 | .347 | .957 | 1033 | –
DeLADE, DLR 768 | 768 | .345 (−0.6 %) | .953 (−0.4 %) | 20 | 25
DeLADE, DLR 256 | 256 | .341 (−1.7 %) | .951 (−0.6 %) | 6.4 | 22
DeLADE, DLR 128 | 128 | .335 (−3.5 %) | .945 (−1.3 %) | 3.3 | 21`),
);

export const TABLE_5 = paperTable(
  "Table 5, FiQA, DeLADE",
  ["", "nDCG@10", "R@100", "GB"],
  rowsOf(`
flat, 30K | .301 | .576 | 6.54
LSH | .210 (−30.2 %) | .545 (−5.4 %) | 0.75
PQ 768 | .281 (−6.6 %) | .557 (−3.3 %) | 0.07
PQ 256 | .253 (−15.9 %) | .535 (−7.1 %) | 0.04
PQ 128 | .221 (−26.6 %) | .496 (−13.9 %) | 0.03
DLR 768 | .294 (−2.3 %) | .567 (−1.6 %) | 0.13
DLR 256 | .287 (−4.7 %) | .558 (−3.1 %) | 0.04
DLR 128 | .274 (−9.0 %) | .552 (−4.2 %) | 0.02`),
);

export const TABLE_6 = paperTable(
  "Table 6, MS MARCO passages (dev), 768 dims",
  ["", "tokens/doc", "MRR@10", "R@1000"],
  rowsOf(`
uniCOIL, contiguous | 39.27 | .334 | .947
uniCOIL, stride | 64.15 | .349 | .957
uniCOIL, random | 64.32 | .349 | .957
SPLADE, contiguous | 68.49 | .326 | .952
SPLADE, stride | 86.33 | .336 | .963
SPLADE, random | 87.91 | .336 | .963
DeLADE, contiguous | 768 | .332 | .949
DeLADE, stride | 768 | .345 | .953
DeLADE, random | 768 | .345 | .953`),
);

export const TABLE_7 = paperTable(
  "Table 7, MS MARCO passages (dev)",
  ["", "MRR@10", "R@1000", "GB", "ms"],
  rowsOf(`
BM25 and ANCE, linear combination | .347 | .969 | 26 | 64
BM25 and ANCE, SPAR | .344 (−0.9 %) | .971 (+0.2 %) | 52 | 81
BM25 and ANCE, DHR 768 | .349 (+0.6 %) | .967 (−0.2 %) | 39 | 56
BM25 and ANCE, DHR 256 | .348 (+0.3 %) | .967 (−0.2 %) | 21 | 56
BM25 and ANCE, DHR 128 | .347 (0.0 %) | .967 (−0.2 %) | 17 | 53
uniCOIL and ANCE, linear combination | .375 | .976 | 27 | 291
uniCOIL and ANCE, DHR 768 | .378 (+0.8 %) | .975 (−0.1 %) | 32 | 60
uniCOIL and ANCE, DHR 256 | .375 (0.0 %) | .973 (−0.3 %) | 19 | 58
uniCOIL and ANCE, DHR 128 | .369 (−1.6 %) | .971 (−0.5 %) | 16 | 57`),
);

export const TABLE_8 = paperTable(
  "Tables 8 and 11, nDCG@10 / R@100 on two collections and on average over 13 of BEIR",
  ["", "SciFact", "NFCorpus", "average", "average rank", "GB (MS MARCO)", "ms"],
  rowsOf(`
BM25 | .665 / .908 | .325 / .250 | .440 / .636 | 7.00 | 0.67 | 40
SPLADE | .633 / .899 | .322 / .266 | .458 / .657 | 7.00 | 2.6 | 475
Dense | .479 / .829 | .244 / .228 | .375 / .575 | 10.46 | 26 | 64
ANCE | .507 / .816 | .237 / .232 | .413 / .601 | 8.15 | 26 | 64
ColBERT | .671 / .878 | .305 / .254 | .453 / .645 | 5.54 | 154 | 458
DeLADE, DLR 768 | .674 / .920 | .331 / .260 | .462 / .657 | 5.39 | 20 | 30
DeLADE+[CLS], DHR 128 | .651 / .898 | .319 / .268 | .470 / .661 | 5.92 | 5.4 | 28
DeLADE+[CLS], DHR 256 | .670 / .904 | .324 / .272 | .478 / .669 | 4.46 | 8.6 | 31
DeLADE+[CLS], DHR 768 | .685 / .910 | .329 / .273 | .485 / .674 | 2.85 | 22 | 33
distilled, DHR 128 | .674 | .327 | .481 | 7.31 | 5.4 | 28
distilled, DHR 256 | .694 | .332 | .490 | 5.38 | 8.6 | 31
distilled, DHR 768 | .699 | .337 | .498 | 4.00 | 22 | 33`),
);

export const TABLE_9 = paperTable(
  "Table 9, DeLADE+[CLS], DHR 768",
  ["", "FiQA nDCG@10", "FiQA R@100", "SciFact nDCG@10", "SciFact R@100"],
  rowsOf(`
both | .312 | .591 | .685 | .910
DeLADE part only | .193 | .441 | .684 | .920
[CLS] part only | .037 | .185 | .118 | .454`),
);

export const TABLE_10 = paperTable(
  "Table 10, width of [CLS], each trained by itself",
  ["", "FiQA nDCG@10", "FiQA R@100", "SciFact nDCG@10", "SciFact R@100"],
  rowsOf(`
0 | .294 | .567 | .674 | .920
128 | .312 | .591 | .685 | .910
256 | .313 | .590 | .683 | .917
768 | .318 | .601 | .680 | .918`),
);

export const TABLE_12 = paperTable(
  "Table 12, 8.8 million passages, DHR 768, one CPU thread, and GPU",
  ["", "CPU encode, first, second ms", "total", "GPU encode, first, second ms", "total", "MRR@10", "R@1000"],
  rowsOf(`
GIP | 164, 72,560, 0 | 72,724 | 12, 670, 0 | 682 | .357 | .967
θ 0.3, then GIP | 164, 9,013, 102 | 9,279 | 12, 23, 10 | 45 | .357 | .967
inner product, then GIP | 164, 3,428, 102 | 3,694 | 12, 37, 10 | 59 | .357 | .967
PQ 128, then GIP | 164, 562, 102 | 828 | | | .357 | .965
PQ 64, then GIP | 164, 284, 102 | 550 | | | .357 | .961`),
);

export const TABLE_13 = paperTable(
  'Table 13, "where was the bauhaus built", rank of the relevant passage',
  ["θ", "0", "0.05", "0.1", "0.2", "0.3"],
  rowsOf("rank | 2 | 3 | 6 | 16 | 19"),
);
