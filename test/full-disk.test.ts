// A disk that becomes full, as the command line tells of it. LMDB prints lines of its own when its writes fail, past us, so
// only a process of its own can show that none came.

import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtCli, LONGEST_BUILD_MS } from "./built.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-full-"));
const documents = join(folder, "documents.jsonl");
const words = (i: number) => Array.from({ length: 120 }, (_, j) => `word${(i * 7919 + j * j) % 4001}`);
writeFileSync(
  documents,
  Array.from({ length: 3000 }, (_, i) =>
    JSON.stringify({ id: `${(i * 2_654_435_761) % 4_294_967_296}`, text: words(i).join(" ") }),
  ).join("\n"),
);

let cli = "";
beforeAll(async () => {
  cli = await builtCli();
}, LONGEST_BUILD_MS);

/** Mounts a small file system, or says why the test is left out. */
function mounted(size: string): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "sluice-disk-"));
  if (spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]).status === 0) return path;
  console.log("left out: cannot mount a small file system here");
  return undefined;
}

// On the smallest LMDB crashed; on the others it printed.
test.each(["4k", "12k", "300k", "1000k", "2500k"])(
  "of %s: one error of ours, nothing else, and the last commit is sound",
  (size) => {
    for (const every of ["100", "1000"]) {
      const disk = mounted(size);
      if (!disk) return;
      try {
        const index = join(disk, "index");
        const argv = ["index", index, documents, "--encoder", "none", "--commit-every", every];
        const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...argv], { encoding: "utf8" });
        const said = stderr.replace(/^(reading|slicing|densifying|merging) .*\n/gm, ""); // on a slow machine
        expect(said).toMatch(/^sluice: [^\n]*: the disk is full[^\n]*\n( {2}[^\n]+\n)?$/);
        expect(status).toBe(2);
        expect(stdout).toBe("");
        const checked = spawnSync(process.execPath, [cli, "verify", index], { encoding: "utf8" });
        expect(checked.stdout + checked.stderr).toMatch(/: sound; |: there is no index\n/);
      } finally {
        spawnSync("umount", ["-l", disk]);
      }
    }
  },
);
