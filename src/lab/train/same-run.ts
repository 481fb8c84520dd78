// Whether a run can go on under a config: what decides about what is learned must be as it was.

import type { TrainConfig } from "./config.ts";

/** What may change when a run is resumed: it decides nothing of what is learned, rounding apart. Files are told by content. */
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

/** The first setting that makes two configs different runs; nothing where the one can go on with the other. */
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
