// Numbers of a sum → the start and length of a bar for each, as shares of the whole width.

export interface Step {
  readonly from: number;
  readonly share: number;
  /** Whether the number is negative, so the bar goes back. */
  readonly falls: boolean;
}

export function stepsOf(parts: readonly number[]): Step[] {
  const sums = [0];
  for (const part of parts) sums.push(sums.at(-1)! + part);
  const [least, most] = [Math.min(...sums), Math.max(...sums)];
  const stretch = most - least || 1;
  return parts.map((part, i) => ({
    from: (Math.min(sums[i], sums[i + 1]) - least) / stretch,
    share: Math.abs(part) / stretch,
    falls: part < 0,
  }));
}
