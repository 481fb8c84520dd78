// Decides where to write the labels of points: beside their point, inside the frame, never over one another, and away
// from lines and dots if there is room. The method is greedy: the first label gets the best position. Plots here have
// dozens of points.

export interface Position {
  readonly x: number;
  readonly y: number;
}

/** `x` and `y` are the upper left corner. */
export interface Box extends Position {
  readonly width: number;
  readonly height: number;
}

export interface Label {
  readonly at: Position;
  readonly text: string;
}

export type LineSegment = readonly [Position, Position];

/** Pixels from the point to the nearest edge of its label. The near distance is tried first. */
const DISTANCES = [7, 16];

/** Directions from the point to the middle of its label, best first. */
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

/** Returns the boxes of the labels; undefined for a label that fits nowhere. */
export function placeLabels(
  labels: readonly Label[],
  dots: readonly Position[],
  lines: readonly LineSegment[],
  frame: Box,
  fontSize: number,
): (Box | undefined)[] {
  const taken: Box[] = [];
  const cost = (box: Box) =>
    4 * dots.filter((dot) => overlaps(box, { x: dot.x - 4, y: dot.y - 4, width: 8, height: 8 })).length +
    lines.filter((line) => crosses(line, box)).length;
  return labels.map(({ at, text }) => {
    const free = candidates(at, textWidth(text, fontSize), fontSize * 1.2)
      .filter((box) => isInside(box, frame) && !taken.some((other) => overlaps(box, widened(other))))
      .map((box, i) => ({ box, cost: cost(box) + i / 10 }));
    if (free.length === 0) return undefined;
    const { box } = free.reduce((best, next) => (next.cost < best.cost ? next : best));
    taken.push(box);
    return box;
  });
}

/** Estimates the width of a text in pixels, without a font. Wide scripts and emoji count as squares. */
export function textWidth(text: string, fontSize: number): number {
  const wide = (character: string) =>
    /[\p{Ideographic}\p{Extended_Pictographic}\u3040-\u30ff\uac00-\ud7af]/u.test(character);
  return [...text].reduce((sum, character) => sum + fontSize * (wide(character) ? 1.1 : 0.6), 0);
}

function candidates(at: Position, width: number, height: number): Box[] {
  return DISTANCES.flatMap((distance) =>
    DIRECTIONS.map(([right, down]) => {
      // A label straight above or beside needs the whole distance; a label at a corner is away in both directions.
      const away = right !== 0 && down !== 0 ? distance * 0.6 : distance;
      const [middleX, middleY] = [at.x + right * (away + width / 2), at.y + down * (away + height / 2)];
      return { x: middleX - width / 2, y: middleY - height / 2, width, height };
    }),
  );
}

function isInside(box: Box, frame: Box): boolean {
  return (
    box.x >= frame.x &&
    box.y >= frame.y &&
    box.x + box.width <= frame.x + frame.width &&
    box.y + box.height <= frame.y + frame.height
  );
}

/** Adds space at both sides, so that two labels in one line do not read as one. */
function widened(box: Box): Box {
  return { ...box, x: box.x - 4, width: box.width + 8 };
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** Whether a segment crosses a box: intersects its ranges between both pairs of edges (Liang–Barsky). */
function crosses([from, to]: LineSegment, box: Box): boolean {
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
