// What the command line says when the disk becomes full. LMDB itself prints lines when its writes fail. Only a separate
// process can show that none were printed.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { builtCli, LONGEST_BUILD_MS } from "./helpers/built.ts";
import { mounted, unmount } from "./helpers/small-disk.ts";

vi.setConfig({ testTimeout: 300_000 }); // starts many processes

const folder = mkdtempSync(join(tmpdir(), "sluice-full-"));
const documents = join(folder, "documents.jsonl");
/** Text that does not compress, so that nearly all of a document goes into LMDB, and the disk becomes full there. */
const noise = (i: number) =>
  Array.from({ length: 20 }, (_, j) => createHash("sha256").update(`${i} ${j}`).digest("base64")).join("");
writeFileSync(
  documents,
  Array.from({ length: 3000 }, (_, i) =>
    JSON.stringify({ id: `${(i * 2_654_435_761) % 4_294_967_296}`, text: `word${i % 100}`, noise: noise(i) }),
  ).join("\n"),
);

let cli = "";
beforeAll(async () => {
  cli = await builtCli();
}, LONGEST_BUILD_MS);

const sluice = (...argv: string[]) => spawnSync(process.execPath, [cli, ...argv], { encoding: "utf8" });

/** Our one message with its hint. A slow machine may show progress before. */
function expectFullDisk({ status, stdout, stderr }: ReturnType<typeof sluice>): void {
  const said = stderr.replace(/^(reading|slicing|densifying|merging) .*\n/gm, "");
  expect(said).toMatch(/^sluice: [^\n]*: the disk is full[^\n]*\n( {2}[^\n]+\n)?$/);
  expect(status).toBe(2);
  expect(stdout).toBe("");
}

// On the smallest disk LMDB crashes. On the next it prints when it creates its file. On the others it may print at a commit.
test.for(["4k", "12k", "300k", "1000k", "2500k"])(
  "of %s: one error of ours, nothing else, and the last commit is sound",
  (size, { skip }) => {
    for (const every of ["100", "1000"]) {
      const disk = mounted(size, skip);
      try {
        const index = join(disk, "index");
        expectFullDisk(sluice("index", index, documents, "--encoder", "none", "--commit-every", every));
        const { stdout, stderr } = sluice("verify", index);
        expect(stdout + stderr).toMatch(/: no problems; |: there is no index\n/);
      } finally {
        unmount(disk);
      }
    }
  },
);

test.for([0, 4096, 8192])(
  "with %i bytes left for a commit: the same, and room makes it work again",
  (left, { skip }) => {
    const disk = mounted("8m", skip);
    try {
      const [index, filler] = [join(disk, "index"), join(disk, "filler")];
      writeFileSync(join(folder, "few.jsonl"), '{"id": "a", "text": "gate"}\n{"id": "b", "text": "water"}\n');
      expect(sluice("index", index, join(folder, "few.jsonl"), "--encoder", "none").status).toBe(0);
      expect(() => writeFileSync(filler, Buffer.alloc(16 << 20))).toThrow("ENOSPC");
      truncateSync(filler, statSync(filler).size - left);
      expectFullDisk(sluice("delete", index, "a"));
      expect(JSON.parse(sluice("search", index, "gate", "--json").stdout).hits).toHaveLength(1);
      expect(sluice("verify", index).stdout).toContain(": no problems; 2 documents");
      rmSync(filler);
      expect(sluice("delete", index, "a").stdout).toContain("1 of 1 document deleted, 1 left");
    } finally {
      unmount(disk);
    }
  },
);
