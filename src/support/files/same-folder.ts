// Whether two paths name one folder, through links, too.

import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

export function isSameFolder(one: string, other: string): boolean {
  return resolveLinks(one) === resolveLinks(other);
}

/** The path without links. If nothing is there yet, the links on the way to it are still resolved. */
export function resolveLinks(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return dirname(whole) === whole ? whole : join(resolveLinks(dirname(whole)), basename(whole));
  }
}
