// What a schema says about a name that it does not know → the error of the library for such a name, with the name that was probably
// meant. zod tells of a union only that no option fits; the name is in what it notes about each option.

import type { z } from "zod";
import type { SluiceError } from "../../support/errors/sluice-error.ts";
import { unknownNameError } from "../../support/options/options.ts";

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** The names that the object behind an issue has. */
function knownNames({ inst }: RawIssue): string[] {
  return Object.keys((inst as z.core.$ZodObject | undefined)?._zod.def.shape ?? {});
}

/** For schemas whose errors are sent as texts: the error and its hint in one. */
export function hintAtUnknownNames(issue: RawIssue): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  return unknownNameError(issue.keys[0], knownNames(issue), "there is no").message;
}

/** A name that no schema at its place knows. */
interface UnknownName {
  readonly name: string;
  /** Where the object with the name is. */
  readonly path: readonly PropertyKey[];
  readonly known: readonly string[];
}

/** Notes which names there are while a value is checked, and finds the first unknown name in what is wrong with it. */
export class UnknownNames {
  readonly #known = new WeakMap<readonly string[], string[]>();

  /** To be called with every issue of zod. */
  note(issue: RawIssue): void {
    // Only here is the schema at hand. The list of names is the same in the issue that comes out.
    if (issue.code === "unrecognized_keys") this.#known.set(issue.keys, knownNames(issue));
  }

  /** The error about the first unknown name. `message` is given its path, and says what the name is not. */
  errorIn(
    issues: readonly z.core.$ZodIssue[],
    message: (path: readonly PropertyKey[]) => string,
  ): SluiceError | undefined {
    const [found] = this.#find(issues);
    return found && unknownNameError(found.name, found.known, message(found.path));
  }

  #find(issues: readonly z.core.$ZodIssue[]): UnknownName[] {
    return issues.flatMap((issue) => {
      const { path } = issue;
      if (issue.code === "unrecognized_keys")
        return issue.keys.map((name) => ({ name, path, known: this.#known.get(issue.keys) ?? [] }));
      if (issue.code !== "invalid_union") return [];
      return this.#inNoOption(issue.errors).map((found) => ({ ...found, path: [...path, ...found.path] }));
    });
  }

  /** The names that no option of a union knows. A name that one of them complains about is known to it. */
  #inNoOption(options: readonly (readonly z.core.$ZodIssue[])[]): UnknownName[] {
    const unknownNames = options.flatMap((issues) => this.#find(issues));
    const knownNames = [...new Set(unknownNames.flatMap((one) => (one.path.length === 0 ? one.known : [])))];
    const used = new Set(options.flat().flatMap(({ path }) => path.slice(0, 1)));
    return unknownNames
      .map((one) => (one.path.length === 0 ? { ...one, known: knownNames } : one))
      .filter(({ name, path }) => path.length > 0 || !(knownNames.includes(name) || used.has(name)));
  }
}
