// All targets, by name. Each is loaded when it is asked for, because some make an index first.

import type { Target } from "./contract/target.ts";

const TARGETS: Readonly<Record<string, () => Promise<{ readonly target: Target }>>> = {
  container: () => import("./targets/container.ts"),
  segment: () => import("./targets/segment.ts"),
  "segment-arrays": () => import("./targets/segment-arrays.ts"),
  "packed-sections": () => import("./targets/packed-sections.ts"),
  "gap-lists": () => import("./targets/gap-lists.ts"),
  "commit-record": () => import("./targets/commit-record.ts"),
  "web-manifest": () => import("./targets/web-manifest.ts"),
  "web-files": () => import("./targets/web-files.ts"),
  safetensors: () => import("./targets/safetensors.ts"),
  onnx: () => import("./targets/onnx.ts"),
  tokenizer: () => import("./targets/tokenizer.ts"),
  "encoder-description": () => import("./targets/encoder-description.ts"),
  csv: () => import("./targets/csv.ts"),
  json: () => import("./targets/json.ts"),
  jsonl: () => import("./targets/jsonl.ts"),
  markdown: () => import("./targets/markdown.ts"),
  parquet: () => import("./targets/parquet.ts"),
  "query-syntax": () => import("./targets/query-syntax.ts"),
  filter: () => import("./targets/filter.ts"),
  plan: () => import("./targets/plan.ts"),
  "http-body": () => import("./targets/http-body.ts"),
  "http-lines": () => import("./targets/http-lines.ts"),
};

export const TARGET_NAMES: readonly string[] = Object.keys(TARGETS);

export async function targetNamed(name: string): Promise<Target> {
  return (await TARGETS[name]()).target;
}
