// Ctrl-C while an encoder runs, sent as a terminal sends it.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { builtCli } from "./helpers/built.ts";

vi.setConfig({ testTimeout: 300_000 }); // waits for the build and for a model

const folder = mkdtempSync(join(tmpdir(), "sluice-interrupt-"));
/** Encoding them takes minutes, so an interrupt that waited for the end would run into the time limit of a test. */
const documents = join(folder, "documents.jsonl");
const text = "a lock raises boats between two levels of water ".repeat(40);
writeFileSync(
  documents,
  Array.from({ length: 2000 }, (_, i) => JSON.stringify({ id: `d${i}`, text: `${i} ${text}` })).join("\n"),
);

/** Indexes with the built-in encoder, and interrupts it as soon as some documents are encoded. */
async function interrupted(index: string, signals: number) {
  const encodedBytes = () => statSync(`${index}.encodings`, { throwIfNoEntry: false })?.size ?? 0;
  const before = encodedBytes();
  const argv = ["index", index, documents, "--encoder", "builtin:vectors"];
  const child = spawn(process.execPath, [await builtCli(), ...argv], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal })),
  );
  // The signal is sent on an event, the first kept encodings. The other 2,000 texts take seconds on any machine.
  const isEncoding = () => encodedBytes() > before + 10_000;
  while (!isEncoding() && child.exitCode === null) await setTimeout(20);
  expect(child.exitCode, "it ended before it could be interrupted").toBeNull();
  child.kill("SIGINT");
  if (signals > 1) {
    while (!err.includes("stopping") && child.exitCode === null) await setTimeout(1);
    child.kill("SIGINT");
  }
  const end = await ended;
  return { ...end, out, err };
}

test("Ctrl-C is acknowledged, the model stops after its batch, and the same command goes on", async () => {
  const index = join(folder, "once");
  const { code, out, err } = await interrupted(index, 1);
  const lines = err.split("\n").filter((line) => !line.startsWith("encoding "));
  expect(lines).toEqual([
    "sluice: stopping…; what is not committed is dropped (Ctrl-C again ends at once)",
    "sluice: interrupted; nothing is committed; encodings are kept: the same command goes on from here",
    "",
  ]);
  expect(code).toBe(130);
  expect(out).toBe("");
  expect(existsSync(index)).toBe(false);
  const again = await interrupted(index, 1);
  expect(again.err).toMatch(/^going on: .*once\.encodings has [1-9][0-9,]* encodings\n/);
});

test("a second Ctrl-C ends at once, and leaves a folder that the next command can use", async () => {
  const index = join(folder, "twice");
  const { code, signal } = await interrupted(index, 2);
  expect(code === 130 || signal === "SIGINT").toBe(true);
  const few = join(folder, "few.jsonl");
  writeFileSync(few, '{"id": "a", "text": "water"}\n');
  const again = spawn(process.execPath, [await builtCli(), "index", index, few, "--encoder", "none"]);
  expect(await new Promise((resolve) => again.on("close", resolve))).toBe(0);
});
