// What the fuzzer found before does not come back: each input that showed a fault, and each that is kept because it reaches
// something, gives a result or one clear error.

import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bytesOfText, isClear, type Target } from "./contract/target.ts";
import { CorpusFiles } from "./corpus-files.ts";
import { TARGET_NAMES, targetNamed } from "./targets.ts";

const files = new CorpusFiles(join(import.meta.dirname));

describe.each(TARGET_NAMES)("%s", async (name) => {
  const target: Target = await targetNamed(name);
  afterAll(() => target.close?.());

  const run = async (bytes: Uint8Array, what: string) => {
    try {
      await target.run(bytes);
    } catch (error) {
      if (!isClear(error)) throw new Error(`${name}, ${what}`, { cause: error });
    }
  };

  test("reads its seeds", async () => {
    expect(target.name).toBe(name);
    const seeds = [...(await target.seeds())];
    expect(seeds.length).toBeGreaterThan(0);
    for (const [i, seed] of seeds.entries())
      await run(typeof seed === "string" ? bytesOfText(seed) : seed, `seed ${i}`);
  });

  test("reads what is kept", async () => {
    for (const [i, bytes] of files.corpus(name).entries()) await run(bytes, `line ${i + 1} of the corpus`);
    for (const crasher of files.crashers(name)) await run(crasher.bytes, `crasher ${crasher.name}`);
  });
});
