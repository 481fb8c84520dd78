// Measures search quality: rankings and judgments → the metrics of trec_eval, with a significance test between two systems.

import { Sluice } from "sluice";
import { english, whitespace } from "sluice/analyze";
import { comparisonTable, evaluate, type Qrels, type Run } from "sluice/lab";

const documents = [
  { id: "d1", text: "locks raise boats" },
  { id: "d2", text: "a lock is raised" },
  { id: "d3", text: "gates control water" },
  { id: "d4", text: "controlling a gate" },
];
const queries = { q1: "lock", q2: "control gates", q3: "raised boat" };
const grades = { q1: { d1: 1, d2: 2 }, q2: { d3: 1, d4: 2 }, q3: { d1: 2 } };
const qrels: Qrels = new Map(Object.entries(grades).map(([id, of]) => [id, new Map(Object.entries(of))]));

const evaluations = [];
for (const analyzer of [whitespace, english]) {
  const index = await Sluice.build(documents, { analyzer });
  const run: Run = new Map();
  for (const [id, text] of Object.entries(queries)) {
    const { hits } = await index.search(text);
    run.set(
      id,
      hits.map((hit) => ({ id: hit.id, score: hit.score })),
    );
  }
  evaluations.push({ name: analyzer.name, evaluation: evaluate(run, qrels, ["ndcg@10", "recall@10"]) });
}
console.log(comparisonTable(evaluations));
