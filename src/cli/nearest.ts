// A mistyped word → the word that the user probably meant, for "did you mean" hints.

import { editsBetween } from "../support/options.ts";

/** The candidate nearest to the word. Up to a third of its letters may be wrong; otherwise the result is undefined. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  const most = Math.max(1, Math.floor((best?.candidate.length ?? 0) / 3));
  // Replacing every letter of a short word is not a typo.
  if (best && best.edits <= most && best.edits < word.length) return best.candidate;
  // The start of a longer name counts as well: --commit for --commit-every.
  return word.length >= 3 ? candidates.find((candidate) => candidate.startsWith(word)) : undefined;
}
