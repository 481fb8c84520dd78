import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../commands/command-groups.ts";
import { completionScript, SHELLS } from "./completion-script.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-completion-"));

/** What bash offers after these words; the last is the one being typed. */
function offered(...words: string[]): string[] {
  const list = words.map((word) => `'${word}'`).join(" ");
  const script = [
    completionScript("bash", COMMANDS),
    `COMP_WORDS=(sluice ${list}); COMP_CWORD=${words.length}`,
    // compopt fails outside of an interactive shell.
    `compopt() { :; }; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ].join("\n");
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-c", script], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter((word) => word !== "");
}

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

const skipped = has("bash") ? "" : " (skipped: bash is not installed)";
describe(`bash${skipped}`, { skip: skipped !== "" }, () => {
  test("commands, flags, values, files", () => {
    writeFileSync(join(folder, "my docs.jsonl"), "");
    expect(offered("")).toEqual([...COMMANDS.map(({ name }) => name), "help", "--help", "--version"]);
    expect(offered("de")).toEqual(["delete", "densify"]);
    expect(offered("search", "x", "--match", "")).toEqual(["any", "all"]);
    expect(offered("eval", "x", "--rule", "tr")).toEqual(["trec", "trec-float32"]);
    expect(offered("search", "x", "--k")).toEqual(["--k", "--kernel"]);
    expect(offered("index", "x", "--format", "")).toEqual([
      "jsonl",
      "json",
      "csv",
      "parquet",
      "markdown",
      "text",
    ]);
    expect(offered("index", "x", "my")).toEqual(["my docs.jsonl"]);
    expect(offered("completion", "")).toEqual([...SHELLS]);
    expect(offered("help", "ev")).toEqual(["eval"]);
  });
});

test.each(SHELLS)("the script for %s has every command and flag, and is valid", (shell) => {
  const script = completionScript(shell, COMMANDS);
  for (const { name, flags } of COMMANDS) {
    expect(script).toContain(name);
    for (const flag of Object.keys(flags))
      expect(script).toContain(shell === "fish" ? `-l ${flag} ` : `--${flag}`);
  }
  // Quotes in help texts are escaped: without the quoted parts, no quote is left.
  if (shell !== "bash")
    expect(
      script
        .replace(/#.*$/gm, "")
        .replaceAll("'\\''", "")
        .replace(/'[^']*'/g, ""),
    ).not.toContain("'");
  if (!has(shell)) {
    process.stderr.write(`${shell} is not here: its script was not read by it\n`);
    return;
  }
  writeFileSync(join(folder, shell), script);
  const checked = spawnSync(shell, ["-n", join(folder, shell)], { encoding: "utf8" });
  expect(checked).toMatchObject({ status: 0, stderr: "" });
});
