// A segment's file with damage anywhere. It is refused, or it gives the hits that it gave before.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Sluice } from "../../../src/index.ts";
import { SEGMENTS_FOLDER } from "../../../src/segment/segment-file.ts";
import { answersOf, smallIndexFolder } from "../contract/fixture.ts";
import { outcome, requireSame, type Target, WrongAnswer } from "../contract/target.ts";

const folder = await smallIndexFolder();
const [file] = readdirSync(join(folder, SEGMENTS_FOLDER));
const path = join(folder, SEGMENTS_FOLDER, file);
const sound = new Uint8Array(readFileSync(path));
const expected = await answers();

async function answers(): Promise<unknown> {
  const index = await Sluice.open(folder, { readOnly: true });
  try {
    return await answersOf(index);
  } finally {
    await index.close();
  }
}

export const target: Target = {
  name: "segment",
  longest: sound.length + 256,
  seeds: () => [sound],
  async run(bytes) {
    writeFileSync(path, bytes);
    const found = await outcome(answers);
    if ("value" in found) requireSame("hits", found.value, expected);
    const { problems } = await Sluice.verify(folder);
    if ("error" in found && problems.length === 0)
      throw new WrongAnswer(`verify finds no problem, but a search says: ${found.error}`);
  },
  close: () => rmSync(folder, { recursive: true, force: true }),
};
