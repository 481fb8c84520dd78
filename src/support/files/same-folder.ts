// Whether two paths name one folder, through links, too.

import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { SluiceError } from "../errors/sluice-error.ts";

export function isSameFolder(one: string, other: string): boolean {
  return resolveLinks(one) === resolveLinks(other);
}

/** Throws if a path is the folder that is read, or inside of it. `read` names that folder, `written` what is written. */
export function requireOutside(path: string, folder: string, read: string, written: string): void {
  const [place, own] = [resolveLinks(path), resolveLinks(folder)];
  if (place === own) throw new SluiceError(`${path}: is ${read} itself`, `give ${written} another folder`);
  if (place.startsWith(own + sep))
    throw new SluiceError(`${path}: is inside ${read}`, `give ${written} a folder outside of it`);
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
