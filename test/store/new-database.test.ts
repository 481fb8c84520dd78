// A database gets its name when it is whole, and what was not finished is in nobody's way.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Sluice } from "../../src/sluice.ts";
import { isUnfinished, nameDatabase, temporaryName } from "../../src/store/database/new-database.ts";

const folder = () => mkdtempSync(join(tmpdir(), "sluice-new-"));
/** More than a process number can be. */
const NOBODY = 999_999_999;

test("what a killed process left of a new database is no index, and the next writer removes it", async () => {
  const path = join(folder(), "index");
  mkdirSync(path);
  writeFileSync(join(path, `index.mdb.${NOBODY}-1.new`), "half of a page");
  writeFileSync(join(path, `index.mdb.${NOBODY}-1.new-lock`), "");
  const running = `index.mdb.${process.pid}-9999.new`;
  writeFileSync(join(path, running), "");
  expect(await Sluice.exists(path)).toBe(false);
  const index = await Sluice.open(path, { encoder: "none" });
  await index.add([{ id: "a", text: "water" }]);
  await index.commit();
  expect(readdirSync(path).sort()).toEqual([
    "index.mdb",
    "index.mdb-lock",
    running,
    "segments",
    "writer.lock",
  ]);
  await index.close();
});

test("a database that another process made meanwhile stays", () => {
  const path = join(folder(), "index.mdb");
  for (const content of ["first", "second"]) {
    const temporary = temporaryName(path);
    writeFileSync(temporary, content);
    nameDatabase(temporary, path);
  }
  expect(readFileSync(path, "utf8")).toBe("first");
});

test("names of temporary databases differ, and are told from others", () => {
  const [one, other] = [temporaryName("index.mdb"), temporaryName("index.mdb")];
  expect(one).not.toBe(other);
  expect([one, other, `${one}-lock`].every((name) => isUnfinished(name, "index.mdb"))).toBe(true);
  for (const name of ["index.mdb", "index.mdb-lock", "index.mdb.new", "notes.1-1.new"])
    expect(isUnfinished(name, "index.mdb")).toBe(false);
});

test("several that open a new folder at once share one database", async () => {
  const path = join(folder(), "index");
  const indexes = await Promise.all([1, 2, 3].map(() => Sluice.open(path, { encoder: "none" })));
  const results = await Promise.allSettled(
    indexes.map(async (index, i) => {
      await index.add([{ id: `d${i}`, text: "water" }]);
      await index.commit();
    }),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const result of results)
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "ERR_SLUICE_LOCKED" });
  for (const index of indexes) await index.close();
  expect(existsSync(join(path, "index.mdb"))).toBe(true);
  expect(readdirSync(path).some((name) => isUnfinished(name, "index.mdb"))).toBe(false);
  expect((await Sluice.verify(path)).problems).toEqual([]);
});
