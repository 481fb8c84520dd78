// What the fuzzer tries: a reader of bytes. Whatever the bytes are, it must give a result or one clear error.

import { HttpError } from "../../../src/server/wire/http-errors.ts";
import { SluiceError } from "../../../src/support/errors/sluice-error.ts";

export interface Target {
  readonly name: string;
  /** Inputs to begin with. Those in corpus/NAME.txt are added. */
  seeds(): Iterable<Uint8Array | string> | Promise<Iterable<Uint8Array | string>>;
  /** Reads the bytes. Throws a SluiceError if they are wrong; every other error is a fault, and so is a `WrongAnswer`. */
  run(bytes: Uint8Array): void | Promise<void>;
  /** What the bytes are: mutations of JSON also change values and keys. `json-head`: JSON, a zero byte, and anything. */
  readonly form?: "json" | "json-head";
  /** The most bytes of an input; 4,096 by default. */
  readonly longest?: number;
  /** Removes the files that `run` made. */
  close?(): void | Promise<void>;
}

/** Bytes were read, but not as they should. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

/** Throws if two results differ. Both must be plain data. */
export function requireSame(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new WrongAnswer(`${what}: found ${a}, expected ${b}`);
}

/** Whether an error tells the caller what is wrong with the bytes. */
export function isClear(error: unknown): boolean {
  if (error instanceof HttpError) return error.status < 500;
  return error instanceof SluiceError && error.message !== "";
}

/** What comes out of a reader: its result, or the message of its error. Errors that are no such thing are thrown. */
export async function outcome<T>(work: () => T | Promise<T>): Promise<{ value: T } | { error: string }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!isClear(error)) throw error;
    return { error: (error as Error).message };
  }
}

/** Throws if two outcomes differ. Two errors may differ: which fault is found first depends on how bytes are cut. */
export function requireSameOutcome(what: string, found: object, expected: object): void {
  if (!("error" in found && "error" in expected)) requireSame(what, found, expected);
}

/** A text as bytes, and back. */
export const bytesOfText = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
