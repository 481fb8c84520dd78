// The text of a query in pieces. Each piece says where its words count: in all texts of a document, or in one field.

/** Words that stand next to each other in a query. */
export interface TextPiece {
  readonly text: string;
  /** The text field that they count in; all texts of a document by default. */
  readonly field?: string | undefined;
  /** Whether the last word is the beginning of others. */
  readonly isBeginning?: boolean | undefined;
}

/**
 * Pieces with neighbors of the same kind as one; undefined if all words count everywhere, as they were typed. A beginning that is
 * repeated counts once: each may stand for hundreds of terms.
 */
export function joinTexts(pieces: readonly TextPiece[]): TextPiece[] | undefined {
  if (pieces.every(({ field, isBeginning }) => field === undefined && !isBeginning)) return undefined;
  const joined: TextPiece[] = [];
  const beginnings = new Set<string>();
  for (const piece of pieces) {
    const key = JSON.stringify([piece.text, piece.field]);
    if (piece.isBeginning && beginnings.has(key)) continue;
    if (piece.isBeginning) beginnings.add(key);
    const last = joined.at(-1);
    const isSame = last && last.field === piece.field && !last.isBeginning && !piece.isBeginning;
    if (isSame) joined.splice(-1, 1, { ...last, text: `${last.text} ${piece.text}` });
    else joined.push(piece);
  }
  return joined;
}
