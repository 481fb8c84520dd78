// A segment whose checksums match and whose arrays do not make sense. The check of `verify` says so, and never fails itself.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Container } from "../../../src/segment/container/container.ts";
import { Problems } from "../../../src/segment/container/problems.ts";
import { openSegmentFile, SEGMENTS_FOLDER } from "../../../src/segment/segment-file.ts";
import { LmdbDatabase } from "../../../src/store/database/lmdb-database.ts";
import { readCommit } from "../../../src/store/record/commit-record.ts";
import { verifySegment } from "../../../src/store/verify/verify-segment.ts";
import { assembled, takenFile } from "../contract/container-file.ts";
import { smallIndexFolder } from "../contract/fixture.ts";
import { type Target, WrongAnswer } from "../contract/target.ts";

const folder = await smallIndexFolder();
const [file] = readdirSync(join(folder, SEGMENTS_FOLDER));
const path = join(folder, SEGMENTS_FOLDER, file);
const sound = takenFile(new Uint8Array(readFileSync(path)));
const database = await LmdbDatabase.open(folder, { create: false });
const record = readCommit(database)!;
await database.close();

export const target: Target = {
  name: "segment-arrays",
  form: "json-head",
  longest: sound.length + 256,
  seeds: () => [sound],
  async run(bytes) {
    writeFileSync(path, assembled(bytes));
    const container = Container.open(path);
    const { checksum } = container;
    container.close();
    const [{ docs }] = record.segments;
    const source = openSegmentFile(folder, { name: basename(file, ".sluice"), docs, bytes: 0, checksum });
    const problems = new Problems();
    try {
      await verifySegment(path, source, record, undefined, problems);
      if (problems.list.length === 0 && source.ids.docs !== docs) throw new WrongAnswer("ids are missing");
    } finally {
      source.close();
    }
  },
  close: () => rmSync(folder, { recursive: true, force: true }),
};
