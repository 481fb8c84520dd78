// Looks for leaks: opens, searches and closes an index over and over, and prints the resident memory at intervals. Garbage is
// collected before each look, so what grows is held by somebody.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Sluice } from "../src/index.ts";
import { formatTable } from "../src/lab/index.ts";
import type { Bench } from "./support/bench.ts";
import { printProgress } from "./support/progress.ts";
import { slopeOf } from "./support/slope.ts";

const LOOKS = 20;
/** The share of looks at the beginning that the slope leaves out: the compiler and V8's heap settle then. */
const SETTLING = 0.5;
const MB = 1 << 20;

const documents = Array.from({ length: 20 }, (_, i) => ({
  id: `d${i}`,
  text: `gate ${i % 3} water ${i % 5} canal`,
  vector: [i, 1, 2, 3],
  year: 1900 + i,
}));
const query = { text: "gate water", vector: [1, 1, 1, 1] };
const NONE = { encoder: "none" } as const;

export const opens: Bench = {
  name: "opens",
  about:
    "Resident memory while an index of 20 documents is opened, searched and closed, over and over: built in memory, opened in a " +
    "folder to read, and opened in a folder for a commit. The slope is that of the second half, in bytes of one opening.",
  flags: "[MEMORY FOLDER COMMITS]",

  async run(print, flags) {
    const [memory, folder, commits] = [100_000, 5000, 1000].map((most, i) => Number(flags[i] ?? most));
    const collect = collector();
    const place = mkdtempSync(join(tmpdir(), "sluice-opens-"));
    const path = join(place, "index");
    await useAndClose(Sluice.open(path, NONE), async (index) => {
      await index.add(documents);
      await index.commit();
    });
    const kinds: [string, number, () => Promise<unknown>][] = [
      ["in memory", memory, () => useAndClose(Sluice.build(documents, NONE), (index) => index.search(query))],
      [
        "in a folder",
        folder,
        () => useAndClose(Sluice.open(path, { readOnly: true }), (index) => index.search(query)),
      ],
      [
        "in a folder, with a commit",
        commits,
        () =>
          useAndClose(Sluice.open(path, NONE), async (index) => {
            await index.upsert(documents.slice(0, 2));
            await index.commit();
            await index.search(query);
          }),
      ],
    ];
    for (const [kind, times, once] of kinds) print(`\n${kind}\n\n${await look(kind, times, once, collect)}`);
    rmSync(place, { recursive: true });
  },
};

async function useAndClose(
  opened: Promise<Sluice>,
  work: (index: Sluice) => Promise<unknown>,
): Promise<void> {
  const index = await opened;
  try {
    await work(index);
  } finally {
    await index.close();
  }
}

async function look(kind: string, times: number, once: () => Promise<unknown>, collect: () => void) {
  const looks: { opened: number; resident: number; heap: number; outside: number }[] = [];
  for (let done = 0; done <= times; done++) {
    if (done % Math.ceil(times / LOOKS) === 0) {
      printProgress(`opens: ${kind}: ${done} of ${times}`);
      collect();
      const { rss, heapUsed, external } = process.memoryUsage();
      looks.push({ opened: done, resident: rss, heap: heapUsed, outside: external });
    }
    await once();
  }
  const rows = looks.map(({ opened, ...bytes }) => [
    opened.toLocaleString("en-US"),
    ...Object.values(bytes).map((each) => (each / MB).toFixed(1)),
  ]);
  const settled = looks.slice(Math.floor(looks.length * SETTLING));
  const slopes = (["resident", "heap", "outside"] as const).map((name) =>
    slopeOf(settled.map((each) => [each.opened, each[name]])).toFixed(1),
  );
  const table = formatTable(["opened", "resident, MB", "heap, MB", "outside the heap, MB"], rows);
  return `${table}\nslope, bytes an opening: resident ${slopes[0]}, heap ${slopes[1]}, outside the heap ${slopes[2]}`;
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
