// Checks of parsed JSON that another program, or another version, may have written: is each field what the type says? They say no
// more than which field is wrong. What a user gives is checked elsewhere, with better messages.

import { isObject } from "./options.ts";

export type ShapeCheck = (value: unknown) => boolean;

export const isCount: ShapeCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isAmount: ShapeCheck = (value) => Number.isFinite(value);
export const isString: ShapeCheck = (value) => typeof value === "string";
export const isTrue: ShapeCheck = (value) => value === true;

/** One of these texts. */
export function oneOf(...texts: readonly string[]): ShapeCheck {
  return (value) => texts.includes(value as string);
}

export function optional(check: ShapeCheck): ShapeCheck {
  return (value) => value === undefined || check(value);
}

export function listOf(check: ShapeCheck): ShapeCheck {
  return (value) => Array.isArray(value) && value.every(check);
}

/** An object whose fields pass. Other fields are not looked at. */
export function objectOf(fields: Readonly<Record<string, ShapeCheck>>): ShapeCheck {
  return (value) => isObject(value) && wrongField(value, fields) === undefined;
}

/** The first field that does not pass. */
export function wrongField(value: object, fields: Readonly<Record<string, ShapeCheck>>): string | undefined {
  return Object.keys(fields).find((name) => !fields[name]((value as Record<string, unknown>)[name]));
}
