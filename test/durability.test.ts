// An index survives killed processes, full disks and lost locks. These tests really kill processes, fill disks and lock files.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bundleTests } from "../scripts/bundle-tests.mjs";
import { Sluice } from "../src/sluice.ts";
import { SluiceError } from "../src/support/errors/sluice-error.ts";
import { mulberry32 } from "../src/support/numbers/random.ts";
import { COUNTER, Expected } from "./helpers/durability-script.ts";
import { mounted, type Skip, unmount } from "./helpers/small-disk.ts";

vi.setConfig({ testTimeout: 300_000 }); // starts and kills many processes

const folder = () => join(mkdtempSync(join(tmpdir(), "sluice-durability-")), "index");

/** How often SIGKILL is sent, over all indexes. `npm run torture` sends it for as long as you like. */
const KILLS = 80;
/** How many indexes are tested side by side: children mostly wait for the disk. */
const INDEXES = 4;
/** The most ms that a child works before it is killed, from its start or from its first commit. */
const LONGEST_MS = 80;
/** The share of children that are killed before or at their first commit. */
const EARLY = 0.3;

let outDir = "";
beforeAll(async () => {
  outDir = await bundleTests("test/helpers", ["durability-child"]);
});

afterAll(() => rmSync(outDir, { recursive: true, force: true }));

/** A child process that takes commands, and what it printed. */
class Child {
  readonly lines: string[] = [];
  readonly #process: ChildProcess;
  readonly #exit: Promise<void>;
  #listeners: (() => void)[] = [];
  #ended = false;
  /** Its standard error. */
  errors = "";

  /** `within` is a command to start it with, such as `unshare`; `name` is its name in documents. */
  constructor({ within = [], name }: { within?: readonly string[]; name?: string } = {}) {
    const [command, ...args] = [...within, process.execPath, join(outDir, "durability-child.mjs")];
    this.#process = spawn(command, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...(name && { NAME: name }) },
    });
    this.#process.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    this.#exit = new Promise((resolve) =>
      this.#process.on("close", () => {
        this.#ended = true;
        for (const listener of this.#listeners.splice(0)) listener();
        resolve();
      }),
    );
    createInterface({ input: this.#process.stdout! }).on("line", (line) => {
      this.lines.push(line);
      for (const listener of this.#listeners.splice(0)) listener();
    });
  }

  get pid(): number {
    return this.#process.pid!;
  }

  tell(what: string, folder: string): void {
    this.#process.stdin!.write(`${what}\t${folder}\n`);
  }

  /** Waits for a line that begins with one of these words. */
  async said(...words: string[]): Promise<string> {
    for (;;) {
      const line = this.lines.find((line) => words.includes(line.split(" ")[0]));
      if (line !== undefined) return line;
      if (this.#ended) throw new Error(`a child ended before it said ${words.join(" or ")}`);
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  /** Ends it, and waits for all its output. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#exit;
  }
}

describe("killed", () => {
  test(`${KILLS} times at random moments: every acknowledged commit is there, and no half one`, async () => {
    const totals = await Promise.all(
      Array.from({ length: INDEXES }, (_, i) => killing(KILLS / INDEXES, mulberry32(i + 1))),
    );
    const commits = totals.reduce((sum, total) => sum + total.commits, 0);
    const unheard = totals.reduce((sum, total) => sum + total.unheard, 0);
    console.log(
      `${KILLS} kills, ${commits} commits, ${unheard} of them killed before they were acknowledged`,
    );
    expect(commits).toBeGreaterThan(KILLS / 2);
  });
});

async function killing(times: number, random: () => number): Promise<{ commits: number; unheard: number }> {
  const path = folder();
  const expected = new Expected();
  let unheard = 0;
  let next = new Child(); // starts while the one before it works
  for (let i = 0; i < times; i++) {
    const child = next;
    await child.said("ready");
    child.tell("write", path);
    next = new Child();
    if (random() > EARLY) await child.said("ack");
    // A kill may come at any moment, so nothing here depends on how far the child got: `check` accepts both states.
    await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_MS));
    await child.kill();
    const acknowledged = Math.max(
      expected.commit,
      ...child.lines.filter((line) => line.startsWith("ack ")).map((line) => Number(line.slice(4))),
    );
    const found = await check(path, expected, acknowledged);
    if (found > acknowledged) unheard++;
  }
  await next.kill();
  return { commits: expected.commit, unheard };
}

/** Checks that the index is that of the last acknowledged commit, or of the one in progress. Returns its number. */
async function check(path: string, expected: Expected, acknowledged: number): Promise<number> {
  if (!(await Sluice.exists(path))) {
    expect(acknowledged).toBe(0);
    return 0;
  }
  const { problems, docs } = await Sluice.verify(path);
  expect(problems).toEqual([]);
  const index = await Sluice.open(path, { readOnly: true });
  try {
    const commit = (await index.document(COUNTER)).commit as number;
    expect([acknowledged, acknowledged + 1]).toContain(commit);
    expected.to(commit);
    expect(await index.listIds()).toEqual(expected.ids);
    expect(docs).toBe(expected.documents.size);
    for (const [id, fields] of expected.documents) expect(await index.document(id)).toEqual(fields);
    const { hits } = await index.search("gate water", { k: 1000 });
    for (const { id, document } of hits)
      expect((document.text as string).match(/gate|water/), id).not.toBeNull();
    return commit;
  } finally {
    await index.close();
  }
}

describe("one writer", () => {
  test("a second one, in another process or this one, is told who is first; readers are not disturbed", async () => {
    const path = folder();
    const [first, second, reader] = [new Child(), new Child(), new Child()];
    try {
      await Promise.all([first, second, reader].map((child) => child.said("ready")));
      first.tell("hold", path);
      await first.said("held");
      second.tell("hold", path);
      expect(await second.said("refused")).toContain(`process ${first.pid} on `);
      reader.tell("read", path);
      expect(await reader.said("read")).toBe("read 1");
      const index = await Sluice.open(path, { encoder: "none" });
      expect(index.docs).toBe(1);
      const refused = index.add([{ id: "x", text: "y" }]);
      await expect(refused).rejects.toThrow(`writer.lock: process ${first.pid} on `);
      await expect(refused).rejects.toBeInstanceOf(SluiceError);

      await first.kill();
      await index.add([{ id: "x", text: "y" }]); // takes over
      await index.commit();
      const other = await Sluice.open(path, { encoder: "none" });
      await expect(other.delete(["x"])).rejects.toThrow("this process is writing to the index");
      await index.close();
      expect(await other.delete(["x"])).toEqual({ deleted: 1 });
      await other.commit();
      await other.close();
      expect(existsSync(join(path, "writer.lock"))).toBe(false);
    } finally {
      await Promise.all([first, second, reader].map((child) => child.kill()));
    }
  });

  test("of twelve that find a dead one's lock at once, one takes over", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", dims: 16 });
    await index.commit();
    await index.close();
    const [rounds, many] = [2, 12];
    for (let round = 0; round < rounds; round++) {
      const dead = { pid: 2 ** 22 + 1, host: hostname(), since: "then" };
      writeFileSync(join(path, "writer.lock"), JSON.stringify(dead));
      const children = Array.from({ length: many }, () => new Child());
      await Promise.all(children.map((child) => child.said("ready")));
      for (const child of children) child.tell("hold", path);
      const answers = await Promise.all(children.map((child) => child.said("held", "refused")));
      await Promise.all(children.map((child) => child.kill()));
      expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
    }
    const reader = await Sluice.open(path, { readOnly: true });
    expect(reader.docs).toBe(rounds);
    await reader.close();
    expect((await Sluice.verify(path)).problems).toEqual([]);
  });

  test("those who open while the last closes", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", dims: 16 });
    await index.commit();
    await index.close();
    const children = Array.from({ length: 4 }, () => new Child());
    for (const child of children) child.tell("reopen", path);
    const answers = await Promise.all(children.map((child) => child.said("reopened", "refused")));
    await Promise.all(children.map((child) => child.kill()));
    expect(answers).toEqual(["reopened", "reopened", "reopened", "reopened"]);
    expect(children.map(({ errors }) => errors).join("")).toBe("");
  });

  /** A command that starts another in its own namespace. Skips the test where that is not allowed. */
  const unshare = (flags: readonly string[], skip: Skip): readonly string[] => {
    const command = ["unshare", ...flags, "--fork", "--kill-child"];
    const { status } = spawnSync(command[0], [...command.slice(1), "true"]);
    return status === 0 ? command : skip(`unshare ${flags.join(" ")} is not allowed here`);
  };

  /** The documents that a new reader sees, after every byte is verified. */
  const idsIn = async (path: string): Promise<string[]> => {
    expect((await Sluice.verify(path)).problems).toEqual([]);
    const reader = await Sluice.open(path, { readOnly: true });
    const ids = [...(await reader.listIds())].sort();
    await reader.close();
    return ids;
  };

  /** Starts a command with another process id than usual: a shell and a child of it come first. */
  const renumbered = ["sh", "-c", 'true & wait; "$0" "$@"; exit'];

  // These mostly wait, the last of them ten seconds, so they run side by side.
  test.concurrent.for<[string, string[], (name: string) => string[]]>([
    ["in process namespaces of their own", ["--pid", "--mount-proc"], () => renumbered],
    ["under host names of their own", ["--uts"], (name) => ["sh", "-c", `hostname ${name}; exec "$0" "$@"`]],
  ])("of two %s, the second is refused until the first is killed", async ([, flags, prefix], { skip }) => {
    const within = unshare(flags, skip);
    const path = folder();
    const first = new Child({ within: [...within], name: "first" });
    const second = new Child({ within: [...within, ...prefix("second")], name: "second" });
    try {
      await Promise.all([first.said("ready"), second.said("ready")]);
      first.tell("hold", path);
      await first.said("held");
      second.tell("hold", path);
      expect(await second.said("held", "refused")).toContain("refused ERR_SLUICE_LOCKED");
      first.tell("change", path);
      expect(await first.said("changed", "refused")).toBe("changed");
      await first.kill();
      second.tell("change", path);
      await second.said("changed");
      expect(await idsIn(path)).toEqual(["commit 1 of first", "commit 2 of first", "commit 2 of second"]);
    } finally {
      await Promise.all([first.kill(), second.kill()]);
    }
  });

  test.concurrent("of two that have the same process number in two namespaces, the second is told so", async ({
    skip,
  }) => {
    const within = unshare(["--pid", "--mount-proc"], skip);
    const path = folder();
    const [first, second] = [new Child({ within, name: "first" }), new Child({ within, name: "second" })];
    try {
      await Promise.all([first.said("ready"), second.said("ready")]);
      first.tell("hold", path);
      await first.said("held");
      second.tell("hold", path);
      expect(await second.said("held", "refused")).toMatch(
        /^refused ERR_SLUICE_LOCKED .*the same process number, 1; let the containers share/,
      );
      first.tell("change", path);
      expect(await first.said("changed", "refused")).toBe("changed");
      expect(await idsIn(path)).toEqual(["commit 1 of first", "commit 2 of first"]);
    } finally {
      await Promise.all([first.kill(), second.kill()]);
    }
  });

  test("whose lock file is deleted: the one who takes over wins, the other is refused, nothing is lost", async () => {
    const path = folder();
    const [first, second] = [new Child({ name: "first" }), new Child({ name: "second" })];
    try {
      await Promise.all([first.said("ready"), second.said("ready")]);
      first.tell("hold", path);
      await first.said("held");
      rmSync(join(path, "writer.lock"));
      second.tell("hold", path);
      expect(await second.said("held", "refused")).toBe("held");
      first.tell("change", path);
      expect(await first.said("changed", "refused")).toContain("refused ERR_SLUICE_CONFLICT");
      second.tell("change", path);
      expect(await second.said("changed", "refused")).toBe("changed");
      expect(await idsIn(path)).toEqual(["commit 1 of first", "commit 1 of second", "commit 2 of second"]);
    } finally {
      await Promise.all([first.kill(), second.kill()]);
    }
  });

  test("who lost the lock does not remove what the next one wrote, by rollback, close or documents ahead of a commit", async () => {
    const path = folder();
    const documents = (name: string) =>
      Array.from({ length: 40 }, (_, i) => ({ id: `${name}${i}`, text: `${name} water ${i}` }));
    const open = () => Sluice.open(path, { encoder: "none", dims: 16, bufferBytes: 1500 });
    const first = await open();
    await first.add(documents("a")); // in segments, ahead of their commit
    rmSync(join(path, "writer.lock"));
    const second = await open();
    await second.add(documents("b"));
    await expect(first.add(documents("c"))).rejects.toMatchObject({ code: "ERR_SLUICE_CONFLICT" });
    await second.commit();
    await expect(first.commit()).rejects.toMatchObject({ code: "ERR_SLUICE_CONFLICT" });
    await first.rollback();
    await first.close();
    await second.add(documents("d"));
    await second.commit();
    await second.close();
    expect(await idsIn(path)).toEqual([...documents("b"), ...documents("d")].map(({ id }) => id).sort());
  });

  test("what is left of the lock of a killed writer, on whatever machine, keeps nobody out", async () => {
    const path = folder();
    const index = await Sluice.open(path, { encoder: "none", dims: 16 });
    await index.commit();
    await index.close();
    const lock = join(path, "writer.lock");
    for (const content of [JSON.stringify({ pid: 1, host: "elsewhere", since: "then" }), "", "{"]) {
      writeFileSync(lock, content);
      const again = await Sluice.open(path, { encoder: "none" });
      expect(await again.delete(["x"])).toEqual({ deleted: 0 });
      expect(JSON.parse(readFileSync(lock, "utf8"))).toMatchObject({ pid: process.pid, host: hostname() });
      await again.close();
      expect(existsSync(lock)).toBe(false);
    }
  });
});

describe("a disk", () => {
  const many = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => ({ id: `d${from + i}`, text: `word${from + i} `.repeat(20) }));

  test.for([
    ["in a segment or in the database", undefined],
    ["while documents are written before their commit", 20_000],
  ] as const)(
    "that becomes full %s: one clear error, and the last commit stays",
    async ([, bufferBytes], { skip }) => {
      const disk = mounted("2m", skip);
      const path = join(disk, "index");
      try {
        const index = await Sluice.open(path, {
          encoder: "none",
          dims: 16,
          ...(bufferBytes && { bufferBytes }),
        });
        let committed = 0;
        let error: unknown;
        for (let round = 0; round < 100 && !error; round++) {
          try {
            await index.add(many(200, round * 200));
            await index.commit();
            committed += 200;
          } catch (caught) {
            error = caught;
          }
        }
        expect(error).toBeInstanceOf(SluiceError);
        expect((error as Error).message).toMatch(
          /^(merging in the background failed: )?\S+(\.mdb|\.sluice): the disk is full; /,
        );
        expect(committed).toBeGreaterThan(0);
        expect(index.docs).toBe(committed);
        expect((await index.search("word7")).hits).toHaveLength(1);
        await index.close().catch(() => {});

        const reader = await Sluice.open(path, { readOnly: true });
        expect(reader.docs).toBe(committed);
        expect(await reader.document("d7")).toEqual({ text: many(1, 7)[0].text });
        expect((await Sluice.verify(path)).problems).toEqual([]);
        await reader.close();
      } finally {
        unmount(disk);
      }
    },
  );

  test("that is read-only: reading works, writing is one clear error", async ({ skip }) => {
    const disk = mounted("8m", skip);
    try {
      const path = join(disk, "index");
      const index = await Sluice.open(path, { encoder: "none", dims: 16 });
      await index.add(many(10));
      await index.commit();
      await index.close();
      expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
      const reader = await Sluice.open(path, { encoder: "none" });
      expect((await reader.search("word7")).hits).toHaveLength(1);
      const refused = reader.add(many(1, 100));
      await expect(refused).rejects.toThrow(/not allowed/);
      await expect(refused).rejects.toBeInstanceOf(SluiceError);
      await reader.close();
      await expect(
        Sluice.open(join(disk, "other"), { encoder: "none" }).then((other) => other.add(many(1))),
      ).rejects.toThrow("not allowed: the disk is read-only");
    } finally {
      unmount(disk);
    }
  });
});

test("what a killed writer left is removed by the next", async () => {
  const path = folder();
  const index = await Sluice.open(path, { encoder: "none", dims: 16 });
  await index.add([{ id: "a", text: "water" }]);
  await index.commit();
  await index.close();
  mkdirSync(join(path, "segments"), { recursive: true });
  writeFileSync(join(path, "segments", "000099.sluice"), "half");
  writeFileSync(join(path, "segments", "000002.sluice.123.tmp"), "half");
  expect((await Sluice.verify(path)).problems).toEqual([]);
  const next = await Sluice.open(path, { encoder: "none" });
  await next.add([{ id: "b", text: "gate" }]);
  expect(readdirSync(join(path, "segments"))).toEqual([expect.stringMatching(/^000001-\w+\.sluice$/)]);
  await next.close();
});
