// sluice delete: ids → their documents are deleted from an index.

import { Sluice } from "../../index.ts";
import { noIndexError } from "../../store/database/database.ts";
import { readText } from "../../support/files/text-file.ts";
import { JSON_FLAG } from "../flags/flags.ts";
import type { Command } from "../parse/command.ts";
import { withCommas } from "../terminal/format.ts";
import { sourceOf } from "../terminal/stdin.ts";

export const deleteCommand: Command = {
  name: "delete",
  summary: "delete documents from an index",
  operands: "DIR (ID... | --ids FILE)",
  details: "All documents are deleted in one commit. Ids that no document has are counted, and are no error.",
  flags: {
    ids: { type: "string", value: "FILE", help: "ids, one per line; - is standard input" },
    passages: { type: "boolean", help: "delete all passages of these documents or files" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice delete my-index 7067032 7067033",
    "sluice delete my-index --ids gone.txt",
    "sluice delete my-index docs/old.md --passages",
  ],

  async run(args, terminal) {
    const [folder, ...named] = args.operands;
    const file = args.text("ids");
    if (folder === undefined || (named.length === 0) === (file === undefined)) {
      throw args.misuse("expected DIR and either ID... or --ids FILE");
    }
    if (!(await Sluice.exists(folder))) throw noIndexError(folder);
    const ids =
      file === undefined
        ? named
        : (await readText(sourceOf(file, terminal))).split(/\r?\n/).filter((line) => line !== "");
    const index = args.closeAtEnd(await Sluice.open(folder));
    const passages = args.is("passages");
    const deleted = await index.delete(ids, { passages });
    await index.commit();
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder, deleted, asked: ids.length, docs: index.size })}\n`
        : `${folder}: ${withCommas(deleted)}${passages ? " passages" : ` of ${withCommas(ids.length)} documents`} deleted, ${withCommas(index.size)} left\n`,
    );
  },
};
