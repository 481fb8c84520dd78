// JSON text in chunks → the text of one object after another. The objects are the elements of an array, alone or in an object
// with nothing else ({"documents": […]}, as over HTTP), or follow one another, on one line each or on several. Only the object
// that is being read is in memory.

import { SluiceError } from "../../support/errors/sluice-error.ts";

interface JsonElement {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** "file:line (element number)", for messages; the line is where it begins. */
  readonly where: string;
}

/** The most characters of an object. A string in memory cannot be much longer. */
const LONGEST_ELEMENT = 1 << 28;

/** The characters that matter, outside strings and inside. All others are skipped. */
const [OUTSIDE, INSIDE] = [/["{}[\]\n]/g, /["\\\n]/g];
const SPACE = /[^ \t\r]/g;
/** How an object that holds the array begins. If the array holds texts or numbers, the object itself is the document. */
const HOLDER = /^\s*\{\s*"documents"\s*:(?=\s*\[\s*[{\]])/;
/** The same without blanks, as far as it is always the same. */
const HOLDER_START = '{"documents":[';
/** The most characters that are held back until it is known whether such an object begins. */
const HOLDER_LENGTH = 1000;

export async function* readJsonElements(
  chunks: AsyncIterable<string> | Iterable<string>,
  path: string,
): AsyncGenerator<JsonElement> {
  let form: "unknown" | "array" | "sequence" | "ended" = "unknown";
  let wanted: "element" | "element or end" | "comma or end" = "element or end";
  let [line, begins, number] = [1, 1, 0];
  let depth = 0; // of the object that is being read; 0 between two
  let [inString, escaped] = [false, false];
  let begun: string[] = []; // the parts of the object in earlier chunks
  let length = 0; // their characters
  let isHeld = false; // in an object that has not ended yet
  const held = removeHolder(chunks, () => {
    isHeld = true;
  });

  const where = (at = line) => `${path}:${at} (element ${number})`;
  const unexpectedError = (found: string) => {
    const expected =
      form === "ended"
        ? isHeld
          ? "} after the end of the array"
          : "nothing after the end of the array"
        : form === "array"
          ? { element: "an object", "element or end": "an object or ]", "comma or end": ", or ]" }[wanted]
          : "an object";
    const after = number > 0 ? ` after element ${number}` : "";
    return new SluiceError(
      `${path}:${line}: found ${JSON.stringify(found)}${after}, expected ${expected}`,
      'documents are objects: [{"id": "1", "text": "…"}, …], or one object after another',
    );
  };

  for await (const chunk of held) {
    let at = 0;
    let start = 0; // of the object in this chunk
    while (at < chunk.length) {
      if (depth === 0) {
        SPACE.lastIndex = at;
        const next = SPACE.exec(chunk)?.index;
        if (next === undefined) break;
        const character = chunk[next];
        at = next + 1;
        if (character === "\n") line++;
        else if (character === "[" && form === "unknown") form = "array";
        else if (character === "]" && form === "array" && wanted !== "element") form = "ended";
        else if (character === "}" && form === "ended" && isHeld) isHeld = false;
        else if (character === "," && form === "array" && wanted === "comma or end") wanted = "element";
        else if (character === "{" && form !== "ended" && (form !== "array" || wanted !== "comma or end")) {
          if (form === "unknown") form = "sequence";
          [depth, start, begins] = [1, next, line];
          number++;
        } else throw unexpectedError(character);
        continue;
      }
      if (escaped) {
        escaped = false; // an escaped character never ends the string
        if (chunk[at] === "\n") line++;
        at++;
        continue;
      }
      const special = inString ? INSIDE : OUTSIDE;
      special.lastIndex = at;
      const next = special.exec(chunk)?.index;
      if (next === undefined) break;
      at = next + 1;
      const character = chunk[next];
      if (character === "\n") line++;
      else if (character === "\\") escaped = true;
      else if (character === '"') inString = !inString;
      else if (character === "{" || character === "[") depth++;
      else if (--depth === 0) {
        const text = begun.join("") + chunk.slice(start, at);
        [begun, length] = [[], 0];
        yield { text, number, where: where(begins) };
        wanted = "comma or end";
      }
    }
    if (depth === 0) continue;
    begun.push(start === 0 ? chunk : chunk.slice(start));
    length += chunk.length - start;
    if (length > LONGEST_ELEMENT)
      throw new SluiceError(`${where(begins)}: longer than ${LONGEST_ELEMENT} characters`);
  }
  if (depth > 0) throw new SluiceError(`${where(begins)}: the object never ends`, CUT_SHORT);
  if (form === "array") throw new SluiceError(`${path}:${line}: the array never ends: no ]`, CUT_SHORT);
  if (isHeld) throw new SluiceError(`${path}:${line}: the object with the array never ends: no }`, CUT_SHORT);
}

/** The same text with blanks for the beginning of an object that holds the array. `found` is called if there is one. */
async function* removeHolder(
  chunks: AsyncIterable<string> | Iterable<string>,
  found: () => void,
): AsyncGenerator<string> {
  let head: string | undefined = "";
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head += chunk;
    const start = head.replace(/\s+/g, "");
    // A text that may still become one is kept back, and no other: the program that writes it may wait for an answer.
    if (head.length < HOLDER_LENGTH && HOLDER_START.startsWith(start)) continue;
    yield withoutHolder(head, found);
    head = undefined;
  }
  if (head) yield withoutHolder(head, found);
}

function withoutHolder(head: string, found: () => void): string {
  const [holder] = HOLDER.exec(head) ?? [];
  if (holder === undefined) return head;
  found();
  return holder.replace(/[^\n]/g, " ") + head.slice(holder.length);
}

const CUT_SHORT = "was the file cut short?";
