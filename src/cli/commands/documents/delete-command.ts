// sluice delete: ids or a filter → their documents are deleted from an index.

import { Sluice } from "../../../index.ts";
import { readText } from "../../../support/files/text-file.ts";
import { FILTER_FLAG, filterFromFlags } from "../../flags/filter-flag.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import { findPassagesHint } from "../../tasks/find-passages-hint.ts";
import type { Command } from "../../terminal/command.ts";
import { countOf, formatCount } from "../../terminal/format.ts";
import { sourceOf } from "../../terminal/stdin.ts";

export const deleteCommand: Command = {
  name: "delete",
  summary: "delete documents from an index",
  operands: "DIR (ID... | --ids FILE | --filter JSON)",
  details:
    "All documents are deleted in one commit. Ids that no document has are ignored. sluice list DIR --filter JSON\n" +
    "--limit 0 counts what a filter would delete; the filter '{}' deletes all documents.",
  flags: {
    ids: { type: "string", value: "FILE", help: "ids, one per line; - is standard input" },
    ...FILTER_FLAG,
    "with-passages": { type: "boolean", help: "delete all passages of these documents or files" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice delete my-index 7067032 7067033",
    "sluice delete my-index --ids gone.txt",
    `sluice delete my-index --filter '{"year": {"lt": 1933}}'`,
    "sluice delete my-index docs/old.md --with-passages",
  ],

  async run(args, terminal) {
    const [folder, ...named] = args.operands;
    const [file, { filter }] = [args.text("ids"), filterFromFlags(args)];
    const ways = [named.length > 0, file !== undefined, filter !== undefined].filter(Boolean);
    if (folder === undefined || ways.length !== 1)
      throw args.usageError("expected DIR and either ID..., --ids FILE or --filter JSON");
    if (filter) args.refuseFlags(["with-passages"], "with --filter");
    const index = args.closeAtEnd(await Sluice.open(folder, { create: false }));
    const ids =
      file === undefined
        ? named
        : (await readText(sourceOf(file, terminal))).split(/\r?\n/).filter((line) => line !== "");
    const withPassages = args.is("with-passages");
    const { deleted } = await index.delete(filter ? { filter } : ids, { withPassages });
    await index.commit();
    if (!filter && !withPassages && deleted < ids.length) {
      const hint = await findPassagesHint(index, ids, "deletes");
      if (hint !== undefined) terminal.err(`sluice: ${hint}\n`);
    }
    const asked = filter ? {} : { asked: ids.length };
    const what =
      withPassages || filter
        ? countOf(deleted, withPassages ? "passage" : "document")
        : `${formatCount(deleted)} of ${countOf(ids.length, "document")}`;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ location: folder, deleted, ...asked, docs: index.docs })}\n`
        : `${folder}: ${what} deleted, ${formatCount(index.docs)} left\n`,
    );
  },
};
