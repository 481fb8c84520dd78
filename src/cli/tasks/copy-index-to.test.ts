// What commands that copy and build print with --json is what the library's calls return.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandLine } from "../../../test/helpers/command-line.ts";
import { Sluice } from "../../index.ts";
import { pullCommand } from "../commands/copies/pull-command.ts";
import { Arguments, type Terminal } from "../terminal/command.ts";
import { copyIndexTo } from "./copy-index-to.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-copy-"));
const DOCUMENTS = [
  { id: "1", text: "a lock raises boats" },
  { id: "2", text: "a sluice controls water" },
];

test("a copy prints all that save returns", async () => {
  await using index = await Sluice.build(DOCUMENTS, { encoder: "none" });
  const result = await index.save(join(folder, "saved"));
  let printed = "";
  const terminal = {
    in: (async function* () {})(),
    out: (text: string) => {
      printed += text;
    },
    err() {},
    isInputTty: false,
    isOutputTty: false,
    isErrorTty: false,
    columns: 80,
  } satisfies Terminal;
  const location = join(folder, "copied");
  await copyIndexTo(index, location, new Arguments(pullCommand, ["--json"]), terminal);
  expect(JSON.parse(printed)).toEqual({ location, ...result, totalMs: expect.any(Number) });
});

test("sluice index prints all that add returns", async () => {
  await using index = await Sluice.open(join(folder, "library"), { encoder: "none" });
  const result = await index.add(DOCUMENTS);
  const file = join(folder, "documents.jsonl");
  writeFileSync(file, DOCUMENTS.map((document) => JSON.stringify(document)).join("\n"));
  const { out } = await commandLine([
    ...["index", join(folder, "command"), file],
    ...["--encoder", "none", "--json"],
  ]);
  expect(JSON.parse(out)).toMatchObject(result);
});
