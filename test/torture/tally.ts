// What a torture test has done and found, as numbers and as lines.

export const newTally = () => ({
  rounds: 0,
  operations: 0,
  commits: 0,
  kills: 0,
  "power losses": 0,
  "failed calls": 0,
  /** Processes that LMDB ended after a call of its own had failed. Nothing may be lost then, as after a kill. */
  "crashes of LMDB": 0,
  "reads beside a writer": 0,
  "acknowledged commits lost": 0,
  "wrong answers": 0,
  "indexes that need repair": 0,
});

export type Tally = ReturnType<typeof newTally>;

/** Lines that say what went wrong, by how they begin. */
const BAD = {
  lost: "acknowledged commits lost",
  wrong: "wrong answers",
  repair: "indexes that need repair",
} as const;

/** Adds what the lines of a process report. Returns the lines that report a fault. */
export function countFaults(tally: Tally, lines: readonly string[]): string[] {
  const faults: string[] = [];
  for (const line of lines) {
    const kind = BAD[line.split(" ")[0] as keyof typeof BAD] as (typeof BAD)[keyof typeof BAD] | undefined;
    if (!kind) continue;
    tally[kind]++;
    faults.push(line);
  }
  return faults;
}

export const isSound = (tally: Tally) => Object.values(BAD).every((kind) => tally[kind] === 0);

export const tallyTable = (tally: Tally): string =>
  Object.entries(tally)
    .map(([what, count]) => `${count.toLocaleString("en-US").padStart(12)} ${what}`)
    .join("\n");
