// A process for the torture test to trace: it replaces a folder, again and again.
//
//   FOLDER
//
// Content N is two files, one of them in a folder inside, that hold N. Says "ack N" when content N is there, and "done" at the end.

import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { writeFolder } from "../../src/support/files/write-folder.ts";

const CONTENTS = 3;
const folder = process.argv[2];

for (let content = 1; content <= CONTENTS; content++) {
  await writeFolder(
    folder,
    async () => true,
    (inside) => fill(inside, content),
  );
  console.log(`ack ${content}`);
}
console.log("done");

async function fill(inside: string, content: number): Promise<void> {
  await mkdir(inside);
  await mkdir(join(inside, "deeper"));
  for (const path of ["a", "deeper/b"]) {
    const file = await open(join(inside, path), "w");
    await file.writeFile(String(content));
    await file.sync();
    await file.close();
  }
}
