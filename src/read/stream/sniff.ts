// A stream without a file name → its format, guessed from how it begins, and a stream with all its bytes. Standard input
// needs this.

import { abridge, SluiceError } from "../../support/errors/sluice-error.ts";
import { withFileErrors } from "../../support/files/file-error.ts";
import { gunzipStream } from "../../support/files/gzip.ts";
import type { ByteStream } from "../../support/files/source.ts";
import { ID_FIELDS } from "./line-documents.ts";

/** The most characters that are looked at: the first line may be very long. */
const SNIFFED_BYTES = 1 << 16;

/** The formats that can be guessed. Markdown and text cannot: prose may look like anything. */
type SniffedFormat =
  | { readonly format: "jsonl" | "json" | "parquet" }
  | { readonly format: "csv"; readonly delimiter: string };

/** Guesses the format of a stream. `id` is the name of the field with the id, if it is not one of the usual ones. */
export async function sniffFormat(
  { name, bytes }: ByteStream,
  id?: string,
): Promise<SniffedFormat & { readonly stream: ByteStream }> {
  const chunks = gunzipStream(bytes);
  const head: Uint8Array[] = [];
  let text = "";
  const decoder = new TextDecoder();
  // Stop at the first line: the program that writes into the pipe may wait for an answer before it writes more.
  while (!text.trimStart().includes("\n") && text.length < SNIFFED_BYTES) {
    const next = await withFileErrors(name, () => chunks.next());
    if (next.done) break;
    head.push(next.value);
    text += decoder.decode(next.value, { stream: true });
  }
  const stream = async function* () {
    yield* head.splice(0);
    yield* chunks;
  };
  const found = guessFormat(text, id === undefined ? ID_FIELDS : [id]);
  if (!found) {
    throw new SluiceError(
      `${name}: cannot tell its format by its first line, ${JSON.stringify(abridge(firstLine(text)))}`,
      (nameOf) => `say it with ${nameOf("format")}`,
    );
  }
  return { ...found, stream: { name, bytes: stream() } };
}

/** The format of a text that begins like this; undefined if it cannot be told. An empty text is JSON Lines without lines. */
export function guessFormat(text: string, ids: readonly string[] = ID_FIELDS): SniffedFormat | undefined {
  const start = text.trimStart();
  if (start === "") return { format: "jsonl" };
  if (start.startsWith("PAR1")) return { format: "parquet" };
  if (/^\[\s*(\{|\]|$)/.test(start)) return { format: "json" };
  const line = firstLine(text);
  if (start.startsWith("{")) {
    const isWhole = start.includes("\n");
    return { format: isWhole && !isJson(line) ? "json" : "jsonl" };
  }
  for (const delimiter of ["\t", ",", ";", "|"]) {
    const names = line.split(delimiter).map((field) => field.trim().replace(/^"(.*)"$/, "$1"));
    if (names.length > 1 && names.some((field) => ids.includes(field))) return { format: "csv", delimiter };
  }
  return line.split("\t").length === 2 ? { format: "jsonl" } : undefined; // id TAB text
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0].trimEnd();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
