// JSON from strangers: whatever it says, no object of ours changes and no function of ours runs out of stack.

import { HttpError } from "./http-errors.ts";

/** Deeper than documents are, and far from where the stack ends. */
const DEEPEST = 64;

export function parsedJson(text: string, where: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new HttpError(400, "malformed_json", `${where}: not valid JSON: ${(error as Error).message}`);
  }
  checkJson(value, where);
  return value;
}

/**
 * Refuses values that are nested too deeply, and the key "__proto__", which means another thing to half of the programs
 * that will see the document. Other names, "constructor" too, are names like any other here: fields are always looked
 * up among an object's own.
 */
function checkJson(value: unknown, where: string): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw new HttpError(400, "invalid", `${where}: more than ${DEEPEST} levels deep`);
    const below: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      if (Object.hasOwn(item, "__proto__")) {
        throw new HttpError(400, "invalid", `${where}: a key is "__proto__"`);
      }
      for (const inner of Object.values(item)) if (typeof inner === "object") below.push(inner);
    }
    level = below;
  }
}
