// A seed in; an endless row of changes to an index out, as one writer would make them, with readers in the same process. What
// a commit changes is in durability-script.ts. Between commits there are rollbacks, merges, exports, backups, refreshes and
// reopenings.

import { rmSync } from "node:fs";
import { Sluice } from "../../src/sluice.ts";
import { mulberry32 } from "../../src/support/numbers/random.ts";
import { COUNTER, Expected, scriptOf } from "../helpers/durability-script.ts";
import { differences } from "./check-index.ts";

/** Small, so that some documents are written before their commit. */
const BUFFER_BYTES = 1500;

interface WorkloadEvents {
  /** A commit was acknowledged. */
  acknowledged(commit: number): void;
  /** A backup that holds this commit was acknowledged. */
  backedUp(commit: number): void;
  /** A reader found something else than the model has. */
  wrong(differences: readonly string[]): void;
}

const openForWriting = (folder: string): Promise<Sluice> =>
  Sluice.open(folder, { encoder: "none", bufferBytes: BUFFER_BYTES });

/** Works on the index of a folder until `most` commits were made. Returns how many operations that took. */
export async function work(
  folder: string,
  seed: number,
  most: number,
  events: WorkloadEvents,
): Promise<number> {
  const writer = await openForWriting(folder);
  let reader: Sluice | undefined;
  let operations = 0;
  try {
    const before = writer.docs === 0 ? 0 : ((await writer.document(COUNTER)).commit as number);
    const expected = new Expected(seed).to(before);
    for (let made = 0; made < most; made++) {
      const { commit, ids } = expected;
      const script = scriptOf(commit + 1, ids, seed);
      if (script.rolledBack.length > 0) {
        await writer.upsert(script.rolledBack);
        await writer.rollback();
      }
      await writer.delete(script.deleted);
      await writer.upsert(script.upserted);
      await writer.commit();
      expected.to(commit + 1);
      events.acknowledged(expected.commit);
      operations += 3 + script.rolledBack.length;
      const chance = mulberry32(seed * 7919 + expected.commit)();
      if (script.optimize) await writer.optimize();
      else if (chance < 0.1) await writer.idle();
      else if (chance < 0.15) await exportTo(writer, `${folder}.export-${expected.commit}`);
      else if (chance < 0.25) {
        reader ??= await Sluice.open(folder, { readOnly: true });
        await reader.refresh();
        events.wrong(await differences(reader, expected));
      } else if (chance < 0.3) await backUp(writer, `${folder}.backup`, expected, events);
      else if (chance < 0.35) {
        await reader?.close();
        reader = undefined;
      } else operations--;
      operations++;
    }
  } finally {
    await reader?.close();
    await writer.close();
  }
  return operations;
}

/** Copies the last commit over the copy before, and compares it with the model. A copy that could not be made is an error. */
async function backUp(
  index: Sluice,
  folder: string,
  expected: Expected,
  events: Pick<WorkloadEvents, "backedUp" | "wrong">,
): Promise<void> {
  await index.backup(folder);
  events.backedUp(expected.commit);
  const copy = await Sluice.open(folder, { readOnly: true });
  try {
    events.wrong(await differences(copy, expected));
  } finally {
    await copy.close();
  }
}

/** Each export has a name of its own, because a power loss while one is removed leaves a part of it. */
async function exportTo(index: Sluice, folder: string): Promise<void> {
  await index.exportWeb(folder);
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A call that was made to fail. What is left is in nobody's way.
  }
}
