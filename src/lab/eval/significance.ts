// Tests whether two systems differ by more than chance on the same queries: Student's paired t-test, two-sided.

export interface TTest {
  readonly t: number;
  readonly degreesOfFreedom: number;
  readonly p: number;
}

/** Pairs a[i] with b[i]. Equal lists give p = 1. */
export function pairedTTest(a: readonly number[], b: readonly number[]): TTest {
  if (a.length !== b.length) throw new RangeError(`${a.length} values cannot be paired with ${b.length}`);
  const n = a.length;
  const degreesOfFreedom = n - 1;
  const differences = a.map((x, i) => x - b[i]);
  const mean = differences.reduce((sum, d) => sum + d, 0) / n;
  const squares = differences.reduce((sum, d) => sum + (d - mean) ** 2, 0);
  if (n < 2 || differences.every((d) => d === 0)) return { t: 0, degreesOfFreedom, p: 1 };
  const t = mean / Math.sqrt(squares / degreesOfFreedom / n);
  return { t, degreesOfFreedom, p: twoSided(t, degreesOfFreedom) };
}

/** The probability of a |t| at least this large under Student's distribution. */
function twoSided(t: number, df: number): number {
  return t === Number.POSITIVE_INFINITY || t === Number.NEGATIVE_INFINITY
    ? 0
    : incompleteBeta(df / (df + t * t), df / 2, 0.5);
}

/** The regularized incomplete beta function, by its continued fraction. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast below the mean only; above it, use the mirrored function.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log(1 - x) - logBeta(a, b)) / a;
  let [c, d, fraction] = [1, 0, 1];
  for (let i = 0; i <= 300; i++) {
    const m = Math.floor(i / 2);
    let term = 1;
    if (i > 0 && i % 2 === 0) term = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    else if (i > 0) term = -((a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + term * d);
    c = nonZero(1 + term / c);
    fraction *= c * d;
    if (Math.abs(1 - c * d) < 1e-14) break;
  }
  return front * (fraction - 1);
}

function nonZero(x: number): number {
  return Math.abs(x) < 1e-300 ? 1e-300 : x;
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Stirling's series. The argument is first shifted to 15 or more, where the series is exact to double precision. */
function logGamma(x: number): number {
  let [shift, z] = [0, x];
  while (z < 15) shift -= Math.log(z++);
  const r = 1 / (z * z);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680)))) / z;
  return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series;
}
