// The manifest of an export, with a checksum that matches: any JSON as `index`.

import { rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SluiceReader } from "../../../src/browser/reader.ts";
import { hexadecimal, MANIFEST_FILE, WEB_FORMAT, WEB_VERSION } from "../../../src/store/web/web-format.ts";
import { crc32 } from "../../../src/support/bytes/crc32.ts";
import { folderFetch } from "../../browser/folder-fetch.ts";
import { answersOf, newFolder, smallIndex } from "../contract/fixture.ts";
import { bytesOfText, type Target, textOf } from "../contract/target.ts";

const folder = newFolder();
const index = await smallIndex();
await index.exportWeb(join(folder, "export"));
await index.close();
const files = folderFetch(join(folder, "export"));
const sound = JSON.parse(await readFile(join(folder, "export", MANIFEST_FILE), "utf8"));

/** The manifest with this index. Bytes that are not JSON are the whole manifest. */
function manifestOf(bytes: Uint8Array): Uint8Array {
  let json: string;
  try {
    json = JSON.stringify(JSON.parse(textOf(bytes)));
  } catch {
    return bytes;
  }
  const checksum = hexadecimal(crc32(bytesOfText(json)));
  const head = JSON.stringify({ format: WEB_FORMAT, version: WEB_VERSION, checksum });
  return bytesOfText(`${head.slice(0, -1)},"index":${json}}`);
}

export const target: Target = {
  name: "web-manifest",
  form: "json",
  longest: 32_768,
  seeds: () => [JSON.stringify(sound.index), JSON.stringify(sound).slice(0, 40)],
  async run(bytes) {
    const fetch: typeof globalThis.fetch = async (input, init) =>
      String(input).endsWith(MANIFEST_FILE)
        ? new Response(manifestOf(bytes) as Uint8Array<ArrayBuffer>)
        : files(input, init);
    const reader = await SluiceReader.open("https://example.org/", { fetch });
    try {
      await answersOf(reader as never);
    } finally {
      await reader.close();
    }
  },
  close: () => rmSync(folder, { recursive: true, force: true }),
};
