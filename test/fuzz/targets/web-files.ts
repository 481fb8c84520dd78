// The files of an export with damage anywhere. Input: the files one after another, in the order of the manifest. A page refuses
// them or gets the hits that it got before.

import { rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SluiceReader } from "../../../src/browser/reader.ts";
import { answersOf, newFolder, smallIndex } from "../contract/fixture.ts";
import { requireSame, type Target } from "../contract/target.ts";

const folder = newFolder();
const index = await smallIndex();
await index.exportWeb(folder);
await index.close();
const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
  .sort();
const files = new Map<string, Uint8Array>();
for (const name of names) files.set(name, new Uint8Array(await readFile(join(folder, name))));
const sound = new Uint8Array(Buffer.concat([...files.values()]));
const expected = await answers(sound);

async function answers(bytes: Uint8Array): Promise<unknown> {
  const parts = new Map<string, Uint8Array>();
  let at = 0;
  for (const [name, file] of files) {
    parts.set(name, bytes.slice(at, at + file.length));
    at += file.length;
  }
  const fetch = async (input: unknown) => {
    const part = parts.get(new URL(String(input)).pathname);
    return part ? new Response(part as Uint8Array<ArrayBuffer>) : new Response("", { status: 404 });
  };
  const reader = await SluiceReader.open("https://example.org/", { fetch: fetch as typeof globalThis.fetch });
  try {
    return await answersOf(reader as never);
  } finally {
    await reader.close();
  }
}

export const target: Target = {
  name: "web-files",
  longest: sound.length + 64,
  seeds: () => [sound],
  async run(bytes) {
    requireSame("hits", await answers(bytes), expected);
  },
  close: () => rmSync(folder, { recursive: true, force: true }),
};
