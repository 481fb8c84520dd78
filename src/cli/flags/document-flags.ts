// The flags of `index` and `add` that say where documents come from, and how files are read. sources/ reads them.

import type { AddOptions } from "../../index.ts";
import { USUAL_WORDS } from "../../passages/cut-blocks.ts";
import { chooseFormat, FORMATS, type Format, isProse } from "../../read/formats.ts";
import type { FileOptions } from "../../read/index.ts";
import { ID_FIELDS, TEXT_FIELDS } from "../../read/stream/line-documents.ts";
import type { Arguments, Flags } from "../terminal/command.ts";
import { STDIN } from "../terminal/stdin.ts";
import { ENCODER_FLAGS, WEIGHT_FLAGS } from "./flags.ts";

export const DOCUMENT_OPERANDS = "DIR (PATH... | - | --jsonl FILE | --beir FOLDER | --lexical weights:PATH)";

export const DOCUMENT_FLAGS = {
  jsonl: { type: "string", value: "FILE", help: "documents, one JSON object (or id TAB text) per line" },
  format: {
    type: "string",
    value: "NAME",
    choices: FORMATS,
    help: `format of every PATH: ${FORMATS.join(", ")} (by file extension)`,
  },
  id: { type: "string", value: "FIELD", help: `field with the id (${ID_FIELDS.join(", ")})` },
  text: { type: "string", value: "FIELD", help: `field with the text (${TEXT_FIELDS.join(", ")})` },
  title: { type: "string", value: "FIELD", help: "field with the title; title by default" },
  delimiter: { type: "string", value: "C", help: "character between the fields of CSV; a comma by default" },
  passages: {
    type: "boolean",
    help: "cut the texts of records, such as JSON Lines, into passages, too",
  },
  "passage-words": {
    option: "passages.words",
    type: "string",
    value: "N",
    help: `most words in a passage; ${USUAL_WORDS} by default`,
  },
  "passage-overlap": {
    option: "passages.overlap",
    type: "string",
    value: "N",
    help: "words that a passage repeats from the one before; 0 by default",
  },
  beir: { type: "string", value: "FOLDER", help: "a BEIR collection: reads corpus.jsonl" },
  lexical: { type: "string", value: "WEIGHTING", default: "bm25", help: "bm25, or weights:PATH" },
  ...WEIGHT_FLAGS,
  ...ENCODER_FLAGS,
  keep: { type: "string", value: "FOLDER", help: "store the encoder's output there, and reuse it next time" },
  vectors: {
    type: "string",
    value: "FILE",
    help: "your own vectors: .npy or .f32 with .ids, or .jsonl",
  },
  "commit-every": {
    type: "string",
    value: "N",
    help: "commit after every N documents; by default only at the end",
  },
} as const satisfies Flags;

export const DOCUMENT_DETAILS = [
  "A PATH is a file, a folder, or - for standard input. The extension of a file says its format:",
  "",
  "  .jsonl, .ndjson   JSON Lines: one object per line, or id TAB text (also .tsv)",
  "  .json             JSON: an array of objects, or objects one after the other",
  "  .csv              CSV with a header",
  "  .parquet          Parquet; needs npm install hyparquet",
  "  .md, .txt         Markdown and text, split into passages at headings, paragraphs and sentences",
  "",
  "Each object or row becomes a document, or with --passages the passages of one. It needs an id and a text; the title and all other fields are stored. The id of",
  "a passage is the path of its file as given, #, and a number: docs/canals.md#2. Of an absolute path, or one with .., it",
  "begins with the last name of PATH. From a folder, Markdown and text files are read. The format of standard input is",
  "guessed from its first line (JSON Lines, JSON, CSV with a header, id TAB text); give --format for other formats. Files",
  "and standard input may be gzip.",
  "",
  "With --lexical weights:PATH the weights of terms come from a JsonVectorCollection (a file or a folder). PATHs, --jsonl",
  "or --beir then only add the text to show.",
  "",
  "All documents become visible at once, at the end. After an error, Ctrl-C or a crash the index is as it was before.",
  "With --commit-every, documents become visible in steps, and committed ones stay.",
].join("\n");

/** The flags that say how files are read → options of the readers. */
export function fileOptionsFromFlags(args: Arguments): FileOptions {
  const [id, text, title, delimiter] = ["id", "text", "title", "delimiter"].map((name) => args.text(name));
  const [format, words] = [args.oneOf("format", FORMATS), args.count("passage-words")];
  const overlap = args.number("passage-overlap");
  if (args.has("jsonl")) args.refuseFlags(["format", "delimiter"], "with --jsonl");
  if (args.has("beir")) args.refuseFlags(["format", "id", "text", "title", "delimiter"], "with --beir");
  if (args.is("passages")) {
    args.refuseFlags(["vectors"], "with --passages: they have no vectors of passages");
    if (args.text("lexical") !== "bm25") args.refuseFlags(["passages"], "without --lexical bm25");
  } else if (args.operands.slice(1).every((path) => isRecords(path, format)))
    args.refuseFlags(["passage-words", "passage-overlap"], "on records without --passages");
  return {
    ...(format && { format }),
    ...(id !== undefined && { id }),
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title }),
    ...(delimiter !== undefined && { delimiter }),
    passages: { ...(words !== undefined && { words }), ...(overlap !== undefined && { overlap }) },
  };
}

/** The option `passages` of `add`, for records. Readers cut Markdown and text. */
export function passagesFromFlags(args: Arguments): AddOptions["passages"] {
  return args.is("passages") && fileOptionsFromFlags(args).passages;
}

/** Whether a path holds records, such as JSON Lines. A folder is read for Markdown and text. */
function isRecords(path: string, format: Format | undefined): boolean {
  const known = format ?? chooseFormat(path);
  return path === STDIN ? !isProse(format) : known !== undefined && !isProse(known);
}
