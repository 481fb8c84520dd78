// sluice add: documents → an existing index.

import type { Encoder } from "../../../encode/index.ts";
import { openRecordedEncoder } from "../../../encode/open-encoder.ts";
import { Sluice } from "../../../index.ts";
import { getInternals } from "../../../internals.ts";
import {
  DOCUMENT_DETAILS,
  DOCUMENT_FLAGS,
  DOCUMENT_OPERANDS,
  passagesFromFlags,
} from "../../flags/document-flags.ts";
import { JSON_FLAG, openEncoderFromFlags } from "../../flags/flags.ts";
import { addAll } from "../../sources/add-all.ts";
import { keepEncodings, withVectorsFromFlags } from "../../sources/encoded-documents.ts";
import { readNamedDocuments } from "../../sources/named-documents.ts";
import { ReadCounts } from "../../sources/read-counts.ts";
import type { Arguments, Command } from "../../terminal/command.ts";
import { countOf, formatCount, milliseconds } from "../../terminal/format.ts";
import { ProgressLine } from "../../terminal/progress-line.ts";

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
    "sluice add my-index docs/ notes/ --passage-words 150 --passage-overlap 30",
  ],

  async run(args, terminal) {
    const [folder] = args.atLeast("DIR");
    const [every, upsert] = [args.count("commit-every"), args.is("upsert")];
    const started = performance.now();
    const named = await openEncoderFromFlags(args);
    if (!named) args.refuseFlags(["description", "encoder-threads"], "without --encoder");
    const encoder = named ?? (await openKeptEncoder(folder, args));
    const keeping = keepEncodings(encoder, args, terminal);
    const opened = keeping?.encoder ?? encoder;
    const index = args.closeAtEnd(
      await Sluice.open(folder, { create: false, ...(opened && { encoder: opened }) }),
    );
    const { analyzer } = index.info();
    const progress = new ProgressLine(terminal);
    const read = new ReadCounts();
    progress.estimate = read.estimate;
    const pieces = analyzer === "wordpiece" ? index.slicing.vocabulary.terms : undefined;
    const plain = readNamedDocuments(args, terminal, pieces, read);
    const documents = await withVectorsFromFlags(plain, encoder, args);
    const options = { upsert, every, passages: passagesFromFlags(args), keeping };
    const changed = await addAll(index, documents, options, progress, terminal);
    const { added, replaced, deleted } = changed;
    const ms = performance.now() - started;
    terminal.out(
      args.is("json")
        ? `${JSON.stringify({ location: folder, ...(upsert ? changed : { added }), docs: index.docs, totalMs: Math.round(ms), ...read.skippedFields() })}\n`
        : `${folder}: ${countOf(added, "document")} added in ${milliseconds(ms)}, ` +
            `${upsert ? `${formatCount(replaced)} replaced, ` : ""}${deleted > 0 ? `${formatCount(deleted)} deleted, ` : ""}${formatCount(index.docs)} in all\n${read.skippedText()}`,
    );
  },
};

/** The index's own encoder, if --keep needs it. Otherwise the library opens it, with the first document. */
async function openKeptEncoder(location: string, args: Arguments): Promise<Encoder | undefined> {
  if (!args.has("keep")) return undefined;
  const index = await Sluice.open(location, { readOnly: true });
  const { encoder } = getInternals(index).snapshot;
  await index.close();
  return encoder && args.closeAtEnd(await openRecordedEncoder(encoder));
}
