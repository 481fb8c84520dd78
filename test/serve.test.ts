// `sluice serve` as a separate process: it prints its address, keeps its keys, and stops cleanly.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Sluice } from "../src/index.ts";
import { DOCUMENTS, LINES } from "./server.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for the build

const root = fileURLToPath(new URL("..", import.meta.url));
// Inside node_modules, so that the child finds the packages it needs.
const bundle = join(root, "node_modules", ".cache", `sluice-serve-${process.pid}`);
const outDir = join(bundle, "dist");
const place = mkdtempSync(join(tmpdir(), "sluice-serve-"));
const folder = join(place, "index");
const KEY = "write-key-0123456789abcdef";

beforeAll(async () => {
  await build({
    configFile: false,
    root,
    logLevel: "error",
    build: {
      ssr: "src/cli/main.ts",
      outDir,
      emptyOutDir: true,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "main.mjs" } },
    },
  });
  symlinkSync(join(root, "models"), join(bundle, "models"), "junction"); // beside dist, as in the package
  const index = await Sluice.open(folder, { encoder: "none" });
  await index.add(DOCUMENTS);
  await index.commit();
  await index.close();
});

afterAll(() => {
  for (const path of [bundle, place]) rmSync(path, { recursive: true, force: true });
});

interface Running {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly log: string[];
  /** The first line of its output. */
  readonly first: Promise<string>;
  readonly exit: Promise<number | null>;
}

function sluice(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [join(outDir, "main.mjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const [lines, log]: string[][] = [[], []];
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  const first = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on("line", (line) => {
      lines.push(line);
      resolve(line);
    });
    exit.then(() => reject(new Error(`it ended: ${log.join("\n")}`)));
  });
  first.catch(() => {}); // some tests expect it to exit early
  createInterface({ input: child.stderr! }).on("line", (line) => log.push(line));
  return { child, lines, log, first, exit };
}

test("serves, logs without words, and ends with 0 after what it was doing", async () => {
  const running = sluice(["serve", `things=${folder}`, "--port", "0"], { SLUICE_WRITE_KEYS: KEY });
  const url = await running.first;
  const authorization = `Bearer ${KEY}`;
  expect((await fetch(`${url}/v1/indexes`)).status).toBe(401);
  const found = await fetch(`${url}/v1/indexes/things/search?query=secret+gate`, {
    headers: { authorization },
  });
  expect(((await found.json()) as { hits: object[] }).hits).toHaveLength(1);

  const many = Array.from({ length: 5000 }, (_, i) =>
    JSON.stringify({ id: `n${i}`, text: `secret ${i} of many` }),
  );
  const adding = fetch(`${url}/v1/indexes/things/documents`, {
    method: "POST",
    headers: { ...LINES, authorization, accept: "text/event-stream" },
    body: many.join("\n"),
  });
  const events = await (await adding).body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value: begun } = await events.read();
  expect(begun).toContain("event: progress");
  running.child.kill("SIGTERM");
  let told = begun!;
  for (let next = await events.read(); !next.done; next = await events.read()) told += next.value;
  expect(told).toContain('"added":5000,"committed":true');
  expect(await running.exit).toBe(0);

  const entries = running.log.map((line) => JSON.parse(line));
  expect(entries.map(({ status }) => status)).toEqual([401, 200, 200]);
  expect(entries[1]).toMatchObject({ method: "GET", route: "/v1/indexes/{name}/search", index: "things" });
  expect(running.log.join()).not.toMatch(/secret|write-key/);
  const index = await Sluice.open(folder, { readOnly: true });
  expect(index.size).toBe(5003);
  await index.close();
});

test("mistakes are one line and exit 2", async () => {
  const keys = join(place, "keys");
  writeFileSync(keys, "read short\n");
  const cases: [string[], RegExp][] = [
    [["serve"], /expected at least one DIR/],
    [["serve", join(place, "none")], /there is no index/],
    [["serve", folder, "--host", "0.0.0.0"], /a server without keys listens on this machine only/],
    [["serve", `../up=${folder}`], /there is no index|cannot name an index/],
    [["serve", folder, `index=${folder}`], /two indexes are named index/],
    [["serve", folder, "--limit", "x=1"], /there is no limit "x"/],
    [["serve", folder, "--limit", "k=many"], /the limit k must be a whole number/],
    [["serve", folder, "--keys", keys], /a key has 5 characters/],
    [["serve", folder, "--port", "99999"], /the port must be/],
  ];
  await Promise.all(
    cases.map(async ([args, message]) => {
      const running = sluice(args, { SLUICE_READ_KEYS: "", SLUICE_WRITE_KEYS: "" });
      expect([args, await running.exit]).toEqual([args, 2]);
      expect(running.log.join("\n")).toMatch(message);
    }),
  );
});

test("a new index can be made over HTTP, and is locked while the server has it", async () => {
  const fresh = join(place, "fresh");
  const running = sluice(["serve", fresh, "--create", "--port", "0", "--log", "silent"]);
  const url = await running.first;
  const body = JSON.stringify({ documents: DOCUMENTS });
  const headers = { "content-type": "application/json" };
  const added = await fetch(`${url}/v1/indexes/fresh/documents`, { method: "PUT", headers, body });
  expect(await added.json()).toMatchObject({ added: 3, docs: 3 });
  const other = await Sluice.open(fresh);
  expect(other.size).toBe(3);
  await expect(other.delete(["1"])).rejects.toThrow("is writing to the index");
  running.child.kill("SIGINT");
  expect(await running.exit).toBe(0);
  expect(await other.delete(["1"])).toBe(1);
  await other.close();
});
