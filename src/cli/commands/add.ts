// sluice add: more documents into an index.

import { Sluice, UsageError } from "../../index.ts";
import type { Command } from "../command.ts";
import { addAll, DOCUMENT_DETAILS, DOCUMENT_FLAGS, documentsOf, withSemantics } from "../documents.ts";
import { encoderOf, JSON_FLAG } from "../flags.ts";
import { milliseconds, withCommas } from "../format.ts";
import { ProgressLine } from "../progress.ts";

export const addCommand: Command = {
  name: "add",
  summary: "add documents to an index, or replace some",
  operands: "DIR (--jsonl FILE | --beir FOLDER | --lexical vectors:PATH) [--upsert]",
  details: DOCUMENT_DETAILS,
  flags: {
    ...DOCUMENT_FLAGS,
    upsert: {
      type: "boolean",
      help: "a document whose id is there takes its place, instead of being refused",
    },
    ...JSON_FLAG,
  },
  examples: ["sluice add my-index --jsonl more.jsonl", "sluice add my-index --jsonl changed.jsonl --upsert"],

  async run(args, terminal) {
    const [folder] = args.exactly("DIR");
    if (!(await Sluice.exists(folder))) {
      throw new UsageError(`${folder}: there is no index`, "build one: sluice index DIR --jsonl FILE");
    }
    const [every, upsert] = [args.count("commit-every"), args.is("upsert")];
    const started = performance.now();
    const encoder = await encoderOf(args);
    const index = args.closing(await Sluice.open(folder, encoder ? { encoder } : {}));
    const { analyzer } = index.info();
    const progress = new ProgressLine(terminal);
    const plain = documentsOf(args, analyzer === "wordpiece" ? index.slicing.vocabulary.terms : undefined);
    const source = await withSemantics(plain, encoder, args, progress, terminal);
    const added = await addAll(index, source, { upsert, every }, progress);
    const ms = performance.now() - started;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder, added, docs: index.size, ms: Math.round(ms) })}\n`
        : `${folder}: ${withCommas(added)} documents ${upsert ? "added or replaced" : "added"} in ${milliseconds(ms)}, ` +
            `${withCommas(index.size)} in all\n`,
    );
  },
};
