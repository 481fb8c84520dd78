// CSV text in chunks → records. It reads RFC 4180 and what spreadsheets write: fields may be quoted; quoted fields may hold
// delimiters, line ends and doubled quotes; lines end in \n, \r\n or \r. The server's page reads the first records, too.

import { SluiceError } from "../../support/errors/sluice-error.ts";

/** One record, and the line it begins on. */
interface CsvRecord {
  readonly fields: readonly string[];
  readonly line: number;
}

/** The most characters of a field. A longer one is taken for a quote that was never closed. */
const LONGEST_FIELD = 1 << 26;

/** The records of CSV text that comes in chunks. Empty lines are skipped. */
export async function* readRecords(
  chunks: AsyncIterable<string> | Iterable<string>,
  path: string,
  delimiter = ",",
): AsyncGenerator<CsvRecord> {
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter)) {
    throw new SluiceError(`a delimiter is one character, not ${JSON.stringify(delimiter)}`);
  }
  let state: "start" | "plain" | "quoted" | "closed" = "start"; // of the field; closed: after its last quote
  let field = "";
  let fields: string[] = [];
  let [line, begins] = [1, 1];
  let isAfterReturn = false; // \r\n is one line end, even if a chunk ends between the two
  const special = new RegExp(`[${delimiter.replace(/[\\\]^-]/, "\\$&")}"\r\n]`, "g");

  for await (const chunk of chunks) {
    let at = 0;
    while (at < chunk.length) {
      if (isAfterReturn) {
        isAfterReturn = false;
        if (chunk[at] === "\n") {
          at++;
          if (state === "quoted") field += "\n";
          continue;
        }
      }
      // Everything up to the next character that means something belongs to the field.
      special.lastIndex = at;
      const next = special.exec(chunk)?.index ?? chunk.length;
      if (next > at) {
        if (state === "closed") throw new SluiceError(`${path}:${line}: text after a closing quote`);
        if (state === "start") state = "plain";
        field += chunk.slice(at, next);
        if (field.length > LONGEST_FIELD) throw unclosedQuoteError(path, begins);
        at = next;
        continue;
      }
      const character = chunk[at++];
      if (character === '"') {
        if (state === "start") state = "quoted";
        else if (state === "quoted") state = "closed";
        else if (state === "closed") {
          state = "quoted";
          field += '"';
        } else field += '"'; // a quote inside a plain field is an ordinary character: 6" nails
      } else if (state === "quoted") {
        field += character;
        if (character !== delimiter) line++;
        isAfterReturn = character === "\r";
      } else if (character === delimiter) {
        fields.push(field);
        [field, state] = ["", "start"];
      } else {
        isAfterReturn = character === "\r";
        if (fields.length > 0 || state !== "start") yield { fields: [...fields, field], line: begins };
        [field, fields, state] = ["", [], "start"];
        begins = ++line;
      }
    }
  }
  if (state === "quoted") throw unclosedQuoteError(path, begins);
  if (fields.length > 0 || state !== "start") yield { fields: [...fields, field], line: begins };
}

function unclosedQuoteError(path: string, line: number): SluiceError {
  return new SluiceError(
    `${path}:${line}: a quoted field of this record never ends`,
    'a quote inside quotes is written twice: "a ""quoted"" word"',
  );
}
