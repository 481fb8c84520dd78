// Compares strings in the order of their UTF-8 bytes. Lucene lists its terms in this order, and trec_eval breaks ties
// by it. JavaScript compares UTF-16 units, which differs when a surrogate pair meets U+E000 … U+FFFF.

/** Compares two strings by their UTF-8 bytes, which is the order of their code points. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Moves surrogates (code points from U+10000 on) above the rest of the basic plane. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit;
}
