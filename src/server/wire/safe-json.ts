// Text from a client → a JSON value that is safe to use. It cannot change the prototype of an object, and it is not nested
// deeply enough to overflow the stack.

import { HttpError } from "./http-errors.ts";

/** Levels of nesting. Real documents have fewer, and recursive code handles many more. */
const MAX_DEPTH = 64;

export function parseSafeJson(text: string, where: string, hint?: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new HttpError(400, "malformed_json", `${where}: not valid JSON: ${(error as Error).message}`, {
      ...(hint !== undefined && { hint }),
    });
  }
  checkJson(value, where);
  return value;
}

/**
 * Refuses values that are nested too deeply, and the key "__proto__", which many programs that read the document later
 * would take as a prototype. Other names, such as "constructor", are allowed: fields are only looked up among an
 * object's own properties.
 */
export function checkJson(value: unknown, where: string): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw new HttpError(400, "invalid", `${where}: nested more than ${MAX_DEPTH} levels deep`);
    const below: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      if (Object.hasOwn(item, "__proto__")) {
        throw new HttpError(400, "invalid", `${where}: the key "__proto__" is not allowed`);
      }
      for (const inner of Object.values(item)) if (typeof inner === "object") below.push(inner);
    }
    level = below;
  }
}
