// Text → JSON, with errors that name its place.

import { abridge, type ErrorCode, SluiceError } from "../errors/sluice-error.ts";
import type { Line } from "./lines.ts";

/** A line as a JSON object. */
export function parseObject(line: Line): Record<string, unknown> {
  const value = parseJson(line.text, line.where);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SluiceError(`${line.where}: expected a JSON object, found ${abridge(line.text)}`);
  }
  return value as Record<string, unknown>;
}

export function parseJson(text: string, where: string, code?: ErrorCode, hint?: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SluiceError(`${where}: not valid JSON: ${(error as Error).message}`, hint, code);
  }
}
