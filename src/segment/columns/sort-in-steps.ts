// Sorts many texts in steps, so that others can run in between: short runs first, then pairs of neighboring runs are joined.

/** Texts that are sorted at once, and texts that are joined between two steps. They take about a millisecond. */
const RUN_TEXTS = 1024;

/** The texts as `sort()` orders them. Yields after each step. */
export function* sortInSteps(texts: readonly string[]): Generator<undefined, string[]> {
  let runs: string[][] = [];
  for (let start = 0; start < texts.length; start += RUN_TEXTS) {
    runs.push(texts.slice(start, start + RUN_TEXTS).sort());
    yield;
  }
  while (runs.length > 1) {
    const longer: string[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(i + 1 < runs.length ? yield* joinRuns(runs[i], runs[i + 1]) : runs[i]);
    runs = longer;
  }
  return runs[0] ?? [];
}

function* joinRuns(a: readonly string[], b: readonly string[]): Generator<undefined, string[]> {
  const all: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isFirst = j === b.length || (i < a.length && a[i] <= b[j]);
    all.push(isFirst ? a[i++] : b[j++]);
    if (all.length % RUN_TEXTS === 0) yield;
  }
  return all;
}
