// A process for durability.test.ts to kill. It waits for a line on its input, then works until it is killed.
//
//   write FOLDER SEED   adds, replaces, deletes and commits in a loop; "ack N" after each commit that was acknowledged
//   bulk FOLDER         commits a document, says "ack 1", and adds documents without end, which are written ahead of a commit
//   hold FOLDER         becomes the writer with a commit, says "held" or why not, and stays
//   change              as the writer, makes another commit, and says "changed" or why not
//   read FOLDER         opens, says "read N" with the number of documents, and stays
//   reopen FOLDER       opens and closes many times, and says "reopened" or why not

import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { Sluice } from "../../src/sluice.ts";
import type { SluiceError } from "../../src/support/errors/sluice-error.ts";
import { COUNTER, Expected, scriptOf } from "./durability-script.ts";

/** Writes a line at once: a line that waits in a stream would be lost with the process. */
const say = (line: string) => writeSync(1, `${line}\n`);

/** Small, so that some documents are written before their commit. */
const BUFFER_BYTES = 1500;

/** How often to open and close: often enough that one process closes last just when another opens. */
const REOPENED = 100;

async function write(folder: string): Promise<void> {
  const index = await Sluice.open(folder, { encoder: "none", dims: 16, bufferBytes: BUFFER_BYTES });
  const before = index.docs === 0 ? 0 : ((await index.document(COUNTER)).commit as number);
  const expected = new Expected().to(before);
  for (;;) {
    const script = scriptOf(expected.commit + 1, expected.ids);
    if (script.rolledBack.length > 0) {
      await index.upsert(script.rolledBack);
      await index.rollback();
    }
    await index.delete(script.deleted);
    await index.upsert(script.upserted);
    await index.commit();
    expected.to(expected.commit + 1);
    say(`ack ${expected.commit}`);
    if (script.optimize) await index.optimize();
  }
}

async function bulk(folder: string): Promise<void> {
  const index = await Sluice.open(folder, { encoder: "none", bufferBytes: BUFFER_BYTES });
  await index.add([{ id: COUNTER, text: "boat" }]);
  await index.commit();
  say("ack 1");
  await index.add(
    (function* () {
      for (let i = 0; ; i++) yield { id: `ahead ${i}`, text: `boat w${i % 1000}` };
    })(),
  );
}

let held: Sluice | undefined;
let commits = 0;

async function commitAs(done: string): Promise<void> {
  try {
    await held!.upsert([{ id: `commit ${++commits} of ${process.env.NAME ?? process.pid}`, text: "gate" }]);
    await held!.commit();
    say(done);
  } catch (error) {
    refused(error);
  }
}

function refused(error: unknown): void {
  const { code, message } = error as SluiceError;
  say(`refused ${code} ${message}`);
}

async function hold(folder: string): Promise<void> {
  try {
    held = await Sluice.open(folder, { encoder: "none", dims: 16 });
  } catch (error) {
    return refused(error);
  }
  await commitAs("held");
}

async function change(): Promise<void> {
  await commitAs("changed");
}

async function read(folder: string): Promise<void> {
  const index = await Sluice.open(folder, { readOnly: true });
  say(`read ${index.docs}`);
  await new Promise(() => setInterval(() => {}, 1000));
}

async function reopen(folder: string): Promise<void> {
  try {
    for (let i = 0; i < REOPENED; i++) await (await Sluice.open(folder, { readOnly: true })).close();
    say("reopened");
  } catch (error) {
    say(`refused ${(error as Error).message}`);
  }
}

say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [what, folder] = line.split("\t");
  const commands = { write, bulk, hold, change, read, reopen };
  await commands[what as keyof typeof commands](folder);
}
