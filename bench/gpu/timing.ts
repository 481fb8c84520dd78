// Measures the wall-clock time of a call after a warm-up.

export interface Times {
  readonly median: number;
  readonly best: number;
  readonly runs: number;
}

/** The most calls and milliseconds of a warm-up. The first calls run before the code is optimized. */
const WARM_UP = { calls: 30, ms: 500 };

/** Times up to `runs` calls within `most` milliseconds, but at least three. */
export async function timeCalls(
  work: (run: number) => Promise<unknown>,
  runs = 15,
  most = 4000,
): Promise<Times> {
  const first = performance.now();
  for (let i = 0; i < WARM_UP.calls && (i < 2 || performance.now() - first < WARM_UP.ms); i++) await work(i);
  const times: number[] = [];
  const begin = performance.now();
  while (times.length < runs && (times.length < 3 || performance.now() - begin < most)) {
    const start = performance.now();
    await work(times.length);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { median: times[times.length >> 1], best: times[0], runs: times.length };
}
