// A mistyped word → the word that the user probably meant, for "did you mean" hints.

/** The candidate nearest to the word. Up to a third of its letters may be wrong; otherwise the result is undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: edits(word, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  const most = Math.max(1, Math.floor((best?.candidate.length ?? 0) / 3));
  // Replacing every letter of a short word is not a typo.
  if (best && best.edits <= most && best.edits < word.length) return best.candidate;
  // The start of a longer name counts as well: --commit for --commit-every.
  return word.length >= 3 ? candidates.find((candidate) => candidate.startsWith(word)) : undefined;
}

/** The edit distance: letters to insert, delete, replace or swap with a neighbor to turn one word into the other. */
export function edits(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.length][b.length];
}
