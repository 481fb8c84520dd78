// A value that a caller gave as a path → a path, or an error.

import { fileURLToPath } from "node:url";
import { SluiceError } from "../errors/sluice-error.ts";
import { checkText, wrongValueError } from "../options/options.ts";

/** The beginning of a URL. A letter alone is a disk of Windows. A folder of such a name is reached by ./ before it. */
const URL_BEGINNING = /^(?:file:|[a-z][\w+.-]+:\/\/)/i;

/** Throws if the value is not the path of a file or a folder. `name` says what it is the path of. */
export function checkPath(name: string, value: unknown): asserts value is string {
  if (value instanceof URL) throw urlError(name, value.href);
  checkText(name, value);
  if (value.includes("\0")) throw wrongValueError(name, "a path, without the character 0", value);
  if (URL_BEGINNING.test(value)) throw urlError(name, value);
}

function urlError(name: string, url: string): SluiceError {
  return new SluiceError(`${name} must be a path, not the URL ${url}`, pathHint(url));
}

function pathHint(url: string): string | undefined {
  try {
    return `give the path: ${fileURLToPath(url)}`;
  } catch {
    return undefined; // not the URL of a file
  }
}
