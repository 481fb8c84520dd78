// Checks whether a run can be resumed under a config: every setting that affects learning must be the same.

import type { TrainConfig } from "./config.ts";

/**
 * Settings that may change when a run is resumed. They do not affect what is learned, except for rounding. Paths may change
 * because fingerprints compare the content of files.
 */
const FREE = [
  /^about$/,
  /^model\.(from|tokenizer)$/,
  /^data\.files\.\d+\.(path|corpus)$/,
  /^data\.topics\.path$/,
  /^teacher\.(encoder|checkpoint|keep)$/,
  /^compute\./,
  /^checkpoints\./,
  /^evaluation\b/,
];

/** Describes the first setting that differs; undefined if one config can resume a run of the other. */
export function difference(a: TrainConfig, b: TrainConfig): string | undefined {
  const [before, now] = [flattened(a), flattened(b)];
  for (const name of new Set([...before.keys(), ...now.keys()])) {
    if (FREE.some((pattern) => pattern.test(name)) || before.get(name) === now.get(name)) continue;
    return `"${name}" was ${before.get(name) ?? "left out"} and is ${now.get(name) ?? "left out"}`;
  }
  return undefined;
}

function flattened(value: unknown, name = "", into = new Map<string, string>()): Map<string, string> {
  if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value))
      flattened(part, name === "" ? key : `${name}.${key}`, into);
  } else if (value !== undefined) into.set(name, JSON.stringify(value));
  return into;
}
