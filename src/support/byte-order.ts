// The order of UTF-8 bytes, in which Lucene lists its terms and trec_eval breaks ties. JavaScript compares UTF-16
// units instead, which differs where a surrogate pair meets U+E000 … U+FFFF.

/** Compares two strings by their UTF-8 bytes, which is the order of their code points. */
export function byteOrder(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return lifted(x) - lifted(y);
  }
  return a.length - b.length;
}

/** Moves surrogates (code points from U+10000 on) above the rest of the basic plane. */
function lifted(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit;
}
