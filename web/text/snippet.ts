// A long text and the ranges of its matching words → the part to show.

/** [start, end) in UTF-16 units. */
export type Range = readonly [start: number, end: number];

export interface Snippet {
  readonly text: string;
  readonly ranges: readonly Range[];
  /** Whether text was cut off at the front and at the back. */
  readonly cut: { readonly front: boolean; readonly back: boolean };
}

/** How many characters a cut may move to fall between two words. */
const SLACK = 24;

/** The part of about `length` characters with the most matches, cut between words if possible. */
export function snippet(text: string, ranges: readonly Range[], length: number): Snippet {
  if (text.length <= length + SLACK) return { text, ranges, cut: { front: false, back: false } };
  const start = cutBefore(text, bestStart(text, ranges, length));
  const end = cutAfter(text, Math.min(text.length, start + length));
  return {
    text: text.slice(start, end),
    ranges: ranges
      .filter(([from, to]) => from >= start && to <= end)
      .map(([from, to]) => [from - start, to - start] as const),
    cut: { front: start > 0, back: end < text.length },
  };
}

/** The start of the part with the most matches, a little before its first match. */
function bestStart(text: string, ranges: readonly Range[], length: number): number {
  const air = Math.floor(length / 6);
  let [best, most] = [0, 0];
  for (let first = 0, last = 0; first < ranges.length; first++) {
    while (last < ranges.length && ranges[last][1] <= ranges[first][0] + length - air) last++;
    if (last - first > most) [best, most] = [ranges[first][0], last - first];
  }
  return Math.max(0, Math.min(best - air, text.length - length));
}

function cutBefore(text: string, at: number): number {
  if (at === 0) return 0;
  for (let i = at; i < at + SLACK && i < text.length; i++) if (isSpace(text, i - 1)) return i;
  return whole(text, at);
}

function cutAfter(text: string, at: number): number {
  if (at >= text.length) return text.length;
  for (let i = at; i > at - SLACK; i--) if (isSpace(text, i)) return i;
  return whole(text, at);
}

const isSpace = (text: string, at: number) => /\s/.test(text.charAt(at));

/** Moves a cut that would split a surrogate pair. */
function whole(text: string, at: number): number {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  const splits = before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
  return splits ? at + 1 : at;
}
