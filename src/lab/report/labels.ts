// Labels of points → where to write them: beside their point, inside the frame, never over one another, and away
// from lines and dots where there is room. Greedy, first come first served: plots here have dozens of points.

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** `x` and `y` are the upper left corner. */
export interface Box extends Place {
  readonly width: number;
  readonly height: number;
}

export interface Label {
  readonly at: Place;
  readonly text: string;
}

export type Segment = readonly [Place, Place];

/** From the point to the label's nearest edge, near first. */
const DISTANCES = [7, 16];

/** Where the label's middle lies, seen from the point. */
const DIRECTIONS = [
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
  [0, -1],
  [0, 1],
  [1, 0],
  [-1, 0],
] as const;

/** The boxes of the labels; undefined for one that fits nowhere. */
export function placeLabels(
  labels: readonly Label[],
  dots: readonly Place[],
  lines: readonly Segment[],
  frame: Box,
  fontSize: number,
): (Box | undefined)[] {
  const taken: Box[] = [];
  const cost = (box: Box) =>
    4 * dots.filter((dot) => overlap(box, { x: dot.x - 4, y: dot.y - 4, width: 8, height: 8 })).length +
    lines.filter((line) => crosses(line, box)).length;
  return labels.map(({ at, text }) => {
    const free = candidates(at, textWidth(text, fontSize), fontSize * 1.2)
      .filter((box) => inside(box, frame) && !taken.some((other) => overlap(box, widened(other))))
      .map((box, i) => ({ box, cost: cost(box) + i / 10 }));
    if (free.length === 0) return undefined;
    const { box } = free.reduce((best, next) => (next.cost < best.cost ? next : best));
    taken.push(box);
    return box;
  });
}

/** An estimate, for no font is at hand: wide scripts and emoji count as whole squares. */
export function textWidth(text: string, fontSize: number): number {
  const wide = (character: string) =>
    /[\p{Ideographic}\p{Extended_Pictographic}\u3040-\u30ff\uac00-\ud7af]/u.test(character);
  return [...text].reduce((sum, character) => sum + fontSize * (wide(character) ? 1.1 : 0.6), 0);
}

function candidates(at: Place, width: number, height: number): Box[] {
  return DISTANCES.flatMap((distance) =>
    DIRECTIONS.map(([right, down]) => {
      // Straight above or beside needs the whole distance; a corner is away in both directions anyway.
      const away = right !== 0 && down !== 0 ? distance * 0.6 : distance;
      const [middleX, middleY] = [at.x + right * (away + width / 2), at.y + down * (away + height / 2)];
      return { x: middleX - width / 2, y: middleY - height / 2, width, height };
    }),
  );
}

function inside(box: Box, frame: Box): boolean {
  return (
    box.x >= frame.x &&
    box.y >= frame.y &&
    box.x + box.width <= frame.x + frame.width &&
    box.y + box.height <= frame.y + frame.height
  );
}

/** With air to the sides: labels in one line must not read as one. */
function widened(box: Box): Box {
  return { ...box, x: box.x - 4, width: box.width + 8 };
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether any of a segment lies in a box: the stretch of it between each pair of edges, intersected (Liang–Barsky). */
function crosses([from, to]: Segment, box: Box): boolean {
  let [start, end] = [0, 1];
  for (const [origin, delta, low, high] of [
    [from.x, to.x - from.x, box.x, box.x + box.width],
    [from.y, to.y - from.y, box.y, box.y + box.height],
  ]) {
    if (delta === 0) {
      if (origin < low || origin > high) return false;
      continue;
    }
    const [near, far] = [(low - origin) / delta, (high - origin) / delta];
    start = Math.max(start, Math.min(near, far));
    end = Math.min(end, Math.max(near, far));
  }
  return start <= end;
}
