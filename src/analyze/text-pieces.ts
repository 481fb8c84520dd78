// A long text → pieces that are analyzed one after another, so that other work can run between them. It is cut only where no term
// goes across: before a letter or a digit that follows a space, a line end or an ideographic full stop.

/** UTF-16 units of a piece, at least. More: others wait longer. A piece takes one or two milliseconds. */
export const PIECE_LENGTH = 1 << 13;

const CUT_PLACE = /[ \n\r\t。！？][\p{L}\p{N}]/gu;
/** The same, and between two Chinese characters. */
const CUT_PLACE_OF_CHARACTERS = /[ \n\r\t。！？][\p{L}\p{N}]|[\u4e00-\u9fff](?=[\u4e00-\u9fff])/gu;

/**
 * The pieces of a text. Joined, they are the text. A text without a place to cut is one piece. `cutsCharacters` says whether each
 * Chinese character is a term, as it is to the analyzer `english`.
 */
export function* cutText(text: string, cutsCharacters = false): Generator<string> {
  const place = cutsCharacters ? CUT_PLACE_OF_CHARACTERS : CUT_PLACE;
  let start = 0;
  while (text.length - start > PIECE_LENGTH) {
    place.lastIndex = start + PIECE_LENGTH;
    const found = place.exec(text);
    if (!found) break;
    yield text.slice(start, found.index + 1);
    start = found.index + 1;
  }
  yield start === 0 ? text : text.slice(start);
}
