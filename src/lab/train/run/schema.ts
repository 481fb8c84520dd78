// Building blocks for the schema of a config, and one error for its first mistake: it names the file and the setting.

import { dirname, resolve } from "node:path";
import { z } from "zod";
import { abridge, SluiceError } from "../../../support/errors/sluice-error.ts";
import { nearestName } from "../../../support/options/nearest.ts";

/** A whole number. */
export const whole = (least = 0) => z.int().min(least);
export const share = z.number().min(0).max(1);
/** An object whose settings may all be left out. */
export const group = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).prefault({} as never);

/** A path of a folder or a file, made absolute: relative to the config's folder, or to the environment variable it begins with. */
export function pathFrom(file: string) {
  return z
    .string()
    .min(1)
    .transform((given, { addIssue }) => {
      const [, name, rest] = /^\$(\w+)(.*)$/s.exec(given) ?? [];
      if (name === undefined) return resolve(dirname(file), given);
      const folder = process.env[name];
      if (folder === undefined) addIssue(`the variable ${name} is not set`);
      return resolve(folder + rest);
    });
}

/** Checks a parsed config and fills in defaults. `file` is named in errors. */
export function parsedBy<T extends z.ZodType>(schema: T, value: unknown, file: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw issueError(schema, parsed.error.issues[0], value, file);
}

/** Says which setting is wrong, what it is, and what is expected; for an unknown setting, which one was probably meant. */
function issueError(schema: z.ZodType, issue: z.core.$ZodIssue, config: unknown, file: string): SluiceError {
  const named = (...keys: PropertyKey[]) => [...issue.path, ...keys].join(".");
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema, issue.path);
    const near = nearestName(issue.keys[0], known);
    return new SluiceError(
      `${file}: there is no "${named(issue.keys[0])}"`,
      near ? `did you mean "${named(near)}"?` : `the keys are ${known.join(", ")}`,
    );
  }
  const what = issue.path.length === 0 ? "the config" : `"${named()}"`;
  if (issue.code === "custom") return new SluiceError(`${file}: ${what}: ${issue.message}`);
  const found = issue.path.reduce((value, key) => (value as never)?.[key], config);
  const is = found === undefined ? "missing" : abridge(JSON.stringify(found));
  // zod says "Invalid input: expected number, received string".
  const expected = issue.message.replace(/^[\w ]+: |, received .*$/g, "");
  return new SluiceError(`${file}: ${what} is ${is}, ${expected}`);
}

/** The keys of the object at a path of the schema. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  // Defaults, optional settings and preprocessed ones wrap the schema of an object or of a list.
  const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType => {
    const { innerType, out } = schema._zod.def as { innerType?: z.core.$ZodType; out?: z.core.$ZodType };
    return innerType || out ? unwrapped((innerType ?? out)!) : schema;
  };
  const found = path.reduce<z.core.$ZodType>((schema, key) => {
    return unwrapped(
      schema instanceof z.ZodArray ? schema.element : (schema as z.ZodObject).shape[key as string],
    );
  }, schema);
  return Object.keys((found as z.ZodObject).shape);
}
