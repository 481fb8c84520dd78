// Warms a program up before it is timed: whole passes over the queries, until a pass is hardly faster than the one before. An
// engine that is compiled while it runs needs several; one that was compiled before needs two.

/** The most passes of a warm-up. */
const WARM_UP_PASSES = 10;
/** A warm-up ends if a pass is less than this many times as fast as the one before. */
const STEADY = 1.05;

/** Repeats a pass, which returns the mean time of a query, until its times are steady. */
export async function warmUp(pass: () => Promise<number>): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  for (let i = 0; i < WARM_UP_PASSES; i++) {
    const mean = await pass();
    if (mean * STEADY > before) return;
    before = mean;
  }
}
