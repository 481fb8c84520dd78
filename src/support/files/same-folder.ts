// Whether two paths name one folder, through links, too.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";

export function isSameFolder(one: string, other: string): boolean {
  const real = (path: string) => {
    try {
      return realpathSync(path);
    } catch {
      return resolve(path); // it does not exist yet
    }
  };
  return real(one) === real(other);
}
