// A mistyped name → the name that was probably meant, for "did you mean" hints.

import { editsBetween } from "../numbers/edits.ts";

/** Names for how many to return. Ours are `k` for a ranking and `limit` for a list that is not ranked. */
const HOW_MANY = ["top", "topk", "top_k", "size", "count", "n", "hits", "max", "perpage", "hitsperpage"];

/** Names that other engines, or other calls, use for our options, in lower case: used to suggest the right one. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  k: ["limit", ...HOW_MANY],
  limit: ["k", ...HOW_MANY],
  after: ["cursor", "next", "offset", "skip", "start", "page"],
  offset: ["skip", "from", "start", "page"],
  filter: ["where", "conditions"],
  lambda: ["alpha", "weight", "boost"],
  minScore: ["min_score", "threshold", "scorethreshold", "cutoff"],
  typos: ["fuzzy", "fuzziness", "tolerance", "typotolerance", "maxedits"],
  text: ["query", "q", "question", "string", "content", "input"],
  vector: ["embedding", "embeddings", "values", "dense"],
  weights: ["sparse", "terms"],
  encoder: ["model", "embedder"],
  analyzer: ["language", "stemmer", "tokenizer"],
  threads: ["workers", "concurrency"],
  dims: ["dimensions", "width"],
  slicingStrategy: ["slicing", "strategy"],
  keepFields: ["documents", "fields", "store"],
};

/**
 * The known name that was probably meant; undefined when none is near. A missing s comes before a name of other engines. Up to a
 * third of its letters may be wrong. The start of a longer name counts as well: --commit for --commit-every.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const plural = known.find((one) => one.toLowerCase() === `${lower}s`);
  if (plural !== undefined) return plural;
  const other = known.find((one) => Object.hasOwn(OTHER_NAMES, one) && OTHER_NAMES[one].includes(lower));
  if (other !== undefined) return other;
  const [best] = known
    .map((one) => ({ one, edits: editsBetween(lower, one.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const most = Math.max(1, Math.floor((best?.one.length ?? 0) / 3));
  // Replacing every letter of a short name is not a typo.
  if (best && best.edits <= most && best.edits < name.length) return best.one;
  return name.length >= 3 ? known.find((one) => one.toLowerCase().startsWith(lower)) : undefined;
}
