// sluice add: documents → an existing index.

import { textFieldsOf } from "../../documents/text-fields.ts";
import type { Encoder } from "../../encode/index.ts";
import { Sluice } from "../../index.ts";
import { encoderOfIndex } from "../../internals.ts";
import { noIndexError } from "../../store/database/database.ts";
import {
  addAll,
  DOCUMENT_DETAILS,
  DOCUMENT_FLAGS,
  DOCUMENT_OPERANDS,
  documentsOf,
  ReadFiles,
  withSemantics,
} from "../flags/document-flags.ts";
import { encoderFromFlags, JSON_FLAG } from "../flags/flags.ts";
import type { Arguments, Command } from "../parse/command.ts";
import { countOf, milliseconds, withCommas } from "../terminal/format.ts";
import { ProgressLine } from "../terminal/progress-line.ts";

export const addCommand: Command = {
  name: "add",
  summary: "add documents to an index, or replace them",
  operands: `${DOCUMENT_OPERANDS} [--upsert]`,
  details: DOCUMENT_DETAILS,
  flags: {
    ...DOCUMENT_FLAGS,
    upsert: {
      type: "boolean",
      help: "replace documents whose id already exists, instead of refusing them",
    },
    ...JSON_FLAG,
  },
  examples: [
    "sluice add my-index more.jsonl",
    "psql -Atc 'select to_json(t) from articles t' | sluice add my-index - --upsert",
    "sluice add my-index changed.csv --id key --text abstract --upsert",
    "sluice add my-index docs/ notes/ --chunk-words 150 --chunk-overlap 30",
  ],

  async run(args, terminal) {
    const [folder] = args.atLeast("DIR");
    if (!(await Sluice.exists(folder))) throw noIndexError(folder);
    const [every, upsert] = [args.count("commit-every"), args.is("upsert")];
    const started = performance.now();
    const encoder = await encoderFromFlags(args);
    if (!encoder) args.refuseFlags(["description", "encoder-threads"], "without --encoder");
    const index = args.closeAtEnd(await Sluice.open(folder, encoder ? { encoder } : {}));
    const { analyzer } = index.info();
    const progress = new ProgressLine(terminal);
    const read = new ReadFiles();
    progress.estimate = read.estimate;
    const pieces = analyzer === "wordpiece" ? index.slicing.vocabulary.terms : undefined;
    const plain = documentsOf(args, terminal, pieces, read);
    const { fieldWeights } = index.info();
    const textFields = fieldWeights && textFieldsOf(fieldWeights);
    const source = await withSemantics(plain, encoder ?? (await keptEncoder(index, args)), args, {
      ...{ progress, terminal, textFields },
    });
    let dropped = 0;
    const last = async () => {
      if (upsert) dropped = await read.dropStale(index);
    };
    const added = await addAll(index, source, { upsert, every, last }, progress, terminal);
    const ms = performance.now() - started;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ folder, added, ...(upsert && { dropped }), docs: index.size, ms: Math.round(ms), ...read.fields() })}\n`
        : `${folder}: ${countOf(added, "document")} ${upsert ? "added or replaced" : "added"} in ${milliseconds(ms)}, ` +
            `${withCommas(index.size)} in all\n` +
            `${dropped > 0 ? `${countOf(dropped, "passage")} deleted that the files no longer contain\n` : ""}${read.text()}`,
    );
  },
};

/** The index's own encoder, if --keep needs it. Otherwise the library opens it, with the first document. */
async function keptEncoder(index: Sluice, args: Arguments): Promise<Encoder | undefined> {
  if (!args.has("keep")) return undefined;
  return encoderOfIndex(index);
}
