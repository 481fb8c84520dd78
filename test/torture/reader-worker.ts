// A process that reads an index while others write to it and are killed.
//
//   FOLDER SEED    ends when its input ends
//
// Says "wrong …" for each difference from the model, and "read ANSWERS" at the end.

import { readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Sluice } from "../../src/sluice.ts";
import { SluiceError } from "../../src/support/errors/sluice-error.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { COUNTER, Expected } from "../helpers/durability-script.ts";
import { differences } from "./check-index.ts";

const say = (line: string) => writeSync(1, `${line.replaceAll("\n", " | ")}\n`);

/** The most ms between two looks at the index. */
const LONGEST_PAUSE_MS = 100;
/** The share of looks after which the index is closed: whoever opens it first sets up what LMDB shares among processes. */
const CLOSED = 0.5;

const [folder, seed] = process.argv.slice(2);
const expected = new Expected(Number(seed));
const random = mulberry32(Number(seed));
let ended = false;
process.stdin.resume().on("end", () => {
  ended = true;
});
let [index, looks]: [Sluice | undefined, number] = [undefined, 0];
for (; !ended; await setTimeout(random() * LONGEST_PAUSE_MS)) {
  try {
    index ??= await Sluice.open(folder, { readOnly: true });
    await index.refresh();
    if (index.docs === 0) continue;
    const commit = (await index.document(COUNTER)).commit as number;
    if (commit < expected.commit) say(`wrong a reader saw commit ${commit} after ${expected.commit}`);
    else for (const difference of await differences(index, expected.to(commit))) say(`wrong ${difference}`);
    looks++;
    if (random() < CLOSED) {
      await index.close();
      index = undefined;
    }
  } catch (error) {
    // Nothing was committed yet.
    if (!(error instanceof SluiceError && error.code === "ERR_SLUICE_NO_INDEX")) {
      say(`wrong a reader failed: ${(error as Error).stack} | ${await circumstances()}`);
    }
  }
}
await index?.close();
say(`read ${looks}`);

/** What the folder holds now, and whether opening it again works: a fault that passes has another cause than one that stays. */
async function circumstances(): Promise<string> {
  const inodes = readdirSync(folder).map((name) => `${name} ${statSync(join(folder, name)).ino}`);
  const segments = readdirSync(join(folder, "segments"));
  const again = await Sluice.open(folder, { readOnly: true }).then(
    async (opened) => {
      await opened.close();
      return "opens now";
    },
    (error) => `fails again: ${error.message}`,
  );
  return `${new Date().toISOString()}: ${[...inodes, ...segments].join(", ")}; ${again}`;
}
