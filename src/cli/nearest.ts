// A word that was mistyped → the one that was meant.

/** The candidate nearest to the word, or undefined where none is near: about a third of the letters may be wrong. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: edits(word, candidate) }))
    .sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  const most = Math.max(1, Math.floor((best?.candidate.length ?? 0) / 3));
  // One letter for another has one edit, but nothing in common.
  if (best && best.edits <= most && best.edits < word.length) return best.candidate;
  // The beginning of a long name is no misspelling, but means it: --commit for --commit-every.
  return word.length >= 3 ? candidates.find((candidate) => candidate.startsWith(word)) : undefined;
}

/** Letters to insert, delete, replace, or swap with their neighbor to make one word of the other. */
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
