// The record of a commit, with a checksum that matches. An index with such a record opens and answers, or says what is wrong.

import { rmSync } from "node:fs";
import { Sluice } from "../../../src/index.ts";
import { addChecksum } from "../../../src/segment/container/checksum.ts";
import { LmdbDatabase } from "../../../src/store/database/lmdb-database.ts";
import { putCommit, readCommit } from "../../../src/store/record/commit-record.ts";
import { answersOf, smallIndexFolder } from "../contract/fixture.ts";
import { outcome, type Target } from "../contract/target.ts";

const folder = await smallIndexFolder();
// It stays open, so that the folder is not opened again for each input.
const database = await LmdbDatabase.open(folder, { create: false });
const sound = readCommit(database)!;

export const target: Target = {
  name: "commit-record",
  form: "json",
  seeds: () => [JSON.stringify(sound)],
  async run(bytes) {
    database.write(() => database.records.putSync("commit", addChecksum(bytes)));
    await outcome(async () => {
      const index = await Sluice.open(folder, { readOnly: true });
      try {
        await answersOf(index);
      } finally {
        await index.close();
      }
    });
    await Sluice.verify(folder);
  },
  async close() {
    database.write(() => putCommit(database, sound));
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  },
};
