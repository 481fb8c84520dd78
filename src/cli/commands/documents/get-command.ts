// sluice get: ids → their documents, as lines of JSON.

import { type Fields, Sluice, SluiceError } from "../../../index.ts";
import { pickFields } from "../../../search/hits/pick-fields.ts";
import { FIELDS_FLAG, fieldsFromFlags } from "../../flags/answer-flags.ts";
import { JSON_FLAG } from "../../flags/flags.ts";
import { findPassagesHint } from "../../tasks/find-passages-hint.ts";
import type { Command } from "../../terminal/command.ts";

export const getCommand: Command = {
  name: "get",
  summary: "print documents by their ids",
  operands: "DIR ID...",
  details: [
    "Documents are printed as JSON Lines, as sluice index reads them, in the order of the ids. If no document has one of the",
    'ids, none is printed. With --json they are one object, as sluice list --json prints them: {"documents": [{"id", "document"}]}.',
  ].join("\n"),
  flags: {
    ...FIELDS_FLAG,
    passages: { type: "boolean", help: "print all passages of these documents or files" },
    ...JSON_FLAG,
  },
  examples: [
    "sluice get my-index 7067032",
    "sluice get my-index 7067032 7067033 --fields title,year",
    "sluice get my-index docs/canals.md --passages",
  ],

  async run(args, terminal) {
    const [folder, ...ids] = args.atLeast("DIR", "ID");
    const { fields } = fieldsFromFlags(args);
    const index = args.closeAtEnd(await Sluice.open(folder, { readOnly: true }));
    const documents = args.is("passages")
      ? (await Promise.all(ids.map((id) => index.passages(id, { fields })))).flat()
      : (await readDocuments(index, ids)).map((document, i) => ({
          id: ids[i],
          document: fields ? pickFields(document, fields) : document,
        }));
    if (args.is("json")) terminal.out(`${JSON.stringify({ documents })}\n`);
    else for (const { id, document } of documents) terminal.out(`${JSON.stringify({ id, ...document })}\n`);
  },
};

/** The documents. The error about an id that only passages have names the flag for them. */
async function readDocuments(index: Sluice, ids: readonly string[]): Promise<Fields[]> {
  try {
    return await index.documents(ids);
  } catch (error) {
    if (!(error instanceof SluiceError && error.code === "ERR_SLUICE_NO_DOCUMENT")) throw error;
    const hint = await findPassagesHint(index, ids, "prints");
    throw hint === undefined ? error : new SluiceError(error.problem, hint, error.code);
  }
}
