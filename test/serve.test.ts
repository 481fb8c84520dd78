// `sluice serve` as a separate process: it prints its address, keeps its keys, and stops cleanly.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Sluice } from "../src/index.ts";
import { selfSigned } from "./helpers/certificate.ts";
import { DOCUMENTS, LINES } from "./helpers/server.ts";

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
  expect(index.docs).toBe(5003);
  await index.close();
});

test("SIGHUP reads keys and the certificate again; SIGTERM drains first", async () => {
  const [keys, audit] = [join(place, "reloaded"), join(place, "audit.jsonl")];
  const files = { cert: join(place, "cert.pem"), key: join(place, "key.pem") };
  const certificates = [selfSigned("first"), selfSigned("second")];
  const write = ({ cert, key }: { cert: string; key: string }) => {
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  write(certificates[0]);
  writeFileSync(keys, `read ${KEY}-old\n`);
  const tls = ["--tls-cert", files.cert, "--tls-key", files.key];
  const others = ["--audit", audit, "--rate-per-key", "1000/s", "--slow-ms", "0", "--drain-ms", "2000"];
  const running = sluice(["serve", `things=${folder}`, "--port", "0", "--keys", keys, ...tls, ...others]);
  const url = await running.first;
  expect(url).toMatch(/^https:/);
  const get = (path: string, key: string, { cert } = certificates[1]) =>
    new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      const asked = request(`${url}${path}`, { ca: cert, headers, agent: false }, (response) => {
        resolve({ status: response.statusCode!, connection: response.headers.connection });
        response.resume();
      });
      asked.on("error", reject).end();
    });
  const search = "/v1/indexes/things/search?query=gate";
  expect((await get(search, `${KEY}-old`, certificates[0])).status).toBe(200);
  renameSync(audit, `${audit}.1`);
  write(certificates[1]);
  writeFileSync(keys, `read ${KEY}-new\n`);
  running.child.kill("SIGHUP");
  const reloaded = () => get(search, `${KEY}-new`).then(({ status }) => status, String);
  await expect.poll(reloaded, { timeout: 10_000 }).toBe(200);
  expect((await get(search, `${KEY}-old`)).status).toBe(401);
  expect(readFileSync(audit, "utf8")).toContain('"code":"wrong_key"');
  running.child.kill("SIGTERM");
  await expect.poll(() => get("/ready", "").then(({ status }) => status)).toBe(503);
  expect((await get(search, `${KEY}-new`)).status).toBe(200);
  expect(await running.exit).toBe(0);
  expect(running.log.some((line) => JSON.parse(line).msg === "slow")).toBe(true);
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
    [["serve", folder, "--limit", "k=many"], /--limit takes NAME=N, not "k=many"/],
    [["serve", folder, "--keys", keys], /a key has 5 characters/],
    [["serve", folder, "--port", "99999"], /the port must be/],
    [["serve", folder, "--tls-cert", "x.pem"], /--tls-cert and --tls-key go together/],
    [["serve", folder, "--tls-cert", "x.pem", "--tls-key", "y.pem"], /x.pem: no such file/],
    [["serve", folder, "--rate-per-key", "many"], /the rate of a key is "many"/],
    [["serve", folder, "--rate-per-address", "0/s"], /the rate of an address is "0\/s"/],
    [["serve", folder, "--slow-ms", "-1"], /--slow-ms takes a number of at least 0/],
    [["serve", folder, "--slow-log-queries"], /no effect without --slow-ms/],
    [["serve", folder, "--audit", join(place, "none", "audit")], /audit: no such file or folder/],
    [["serve", folder, "--drain-ms", "soon"], /--drain-ms takes a number/],
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
  expect(other.docs).toBe(3);
  await expect(other.delete(["1"])).rejects.toThrow("is writing to the index");
  running.child.kill("SIGINT");
  expect(await running.exit).toBe(0);
  expect(await other.delete(["1"])).toEqual({ deleted: 1 });
  await other.close();
});

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test(`the commands of the guide lead from nothing to a hit${hasCurl ? "" : " (skipped: no curl here)"}`, {
  skip: !hasCurl,
}, async () => {
  const guide = readFileSync(join(root, "docs/guides/server.md"), "utf8");
  const section = guide.split("\n## From nothing to a hit\n")[1].split("\n## ")[0];
  const [start, commands] = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
  expect(start).toMatch(/^npx sluice serve --folder indexes /);
  const server = sluice(["serve", "--folder", join(place, "indexes"), "--port", "0"]);
  const address = /http:\/\/[\d.:]+/.exec(await server.first)![0];
  const script = commands
    .replace("http://127.0.0.1:7700", address)
    .replaceAll("curl ", "curl -sSf -w '\\n' ");
  const { stdout, stderr, status } = spawnSync("bash", ["-e"], {
    input: script,
    cwd: place,
    encoding: "utf8",
  });
  server.child.kill();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [created, added, found, deleted] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(created).toMatchObject({ docs: 0 });
  expect(added).toMatchObject({ added: 2 });
  expect(found.hits.map(({ id }: { id: string }) => id)).toEqual(["weir"]);
  expect(deleted).toMatchObject({ deleted: 1 });
});
