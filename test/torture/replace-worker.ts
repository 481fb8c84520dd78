// A process for the torture test to trace: it replaces a folder, again and again. Twice it finds what a killed process left.
//
//   FOLDER    its parent may be missing
//
// Content N is two files, one of them in a folder inside, that hold N. Says "ack N" when content N is there, and "done" at the end.

import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../../src/support/files/sync-folder.ts";
import { writeFolder } from "../../src/support/files/write-folder.ts";

/** More than a process number can be. */
const NOBODY = 999_999_999;
const folder = process.argv[2];
const temporary = `${folder}.${NOBODY}.tmp`;

await write(1);
await write(2);
// A process that was killed after its first rename.
await fill(temporary, 3);
await rename(folder, `${temporary}.before`);
await write(3);
// And one that was killed after both, before it synced the names.
await fill(temporary, 4);
await rename(folder, `${temporary}.before`);
await rename(temporary, folder);
await write(4);
console.log("done");

async function write(content: number): Promise<void> {
  await writeFolder(
    folder,
    async () => true,
    (inside) => fill(inside, content),
  );
  console.log(`ack ${content}`);
}

async function fill(inside: string, content: number): Promise<void> {
  await mkdir(join(inside, "deeper"), { recursive: true });
  for (const path of ["a", "deeper/b"]) {
    const file = await open(join(inside, path), "w");
    await file.writeFile(String(content));
    await file.sync();
    await file.close();
  }
  await syncFolder(join(inside, "deeper"));
  await syncFolder(inside);
}
