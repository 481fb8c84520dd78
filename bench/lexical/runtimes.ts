// Installs what an engine's program needs, once, into .peers, beside the packages of the bench hybrid: packages from npm,
// packages from PyPI in a virtual environment, or jars from Maven Central and a Java program compiled here. An error says why
// an engine cannot be installed.

import { execFile } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ENGINES } from "../hybrid/engines.ts";
import { install, peerFolder } from "../hybrid/install.ts";
import type { Command } from "./job.ts";

type Progress = (text: string) => void;
export type Prepare = (progress: Progress) => Promise<Command>;

const PEERS = dirname(peerFolder(ENGINES[0]));
const TIMEOUT_MS = 5 * 60_000;
const ONE_THREAD = {
  OMP_NUM_THREADS: "1",
  RAYON_NUM_THREADS: "1",
  NUMBA_NUM_THREADS: "1",
  TBB_NUM_THREADS: "1",
};

/** An adapter in peers/, with the npm packages of an engine of the bench hybrid. */
export function node(adapter: string, hybridEngine: string): Prepare {
  return async (progress) => {
    const spec = ENGINES.find(({ name }) => name === hybridEngine)!;
    await install(spec, progress);
    const child = fileURLToPath(new URL("child.js", import.meta.url));
    const flags = ["--expose-gc", "--max-old-space-size=12288"];
    return {
      program: process.execPath,
      args: [...flags, child, adapter, peerFolder(spec)],
      env: { ...ONE_THREAD, ...spec.env },
    };
  };
}

/** A Python script in peers/, with packages from PyPI. `alone` installs them without their dependencies. */
export function python(script: string, packages: readonly string[], { alone = false } = {}): Prepare {
  return async (progress) => {
    const folder = join(PEERS, "python");
    const program = join(folder, "bin", "python");
    await makeFolder();
    if (!existsSync(program)) await run("python3", ["-m", "venv", folder]);
    await runOnce(join(folder, `${script}.installed`), packages.join("\n"), async () => {
      progress(`installing ${packages.join(", ")}`);
      const flags = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"];
      await run(program, ["-m", "pip", "install", ...flags, ...(alone ? ["--no-deps"] : []), ...packages]);
    });
    return { program, args: ["-B", source(script)], env: ONE_THREAD };
  };
}

/** A Java program in peers/, with jars given as group:name:version. */
export function java(program: string, artifacts: readonly string[]): Prepare {
  return async (progress) => {
    const folder = join(PEERS, program.toLowerCase());
    const [jars, classes] = [join(folder, "jars"), join(folder, "classes")];
    await makeFolder();
    await mkdir(folder, { recursive: true });
    await runOnce(join(folder, "installed"), artifacts.join("\n"), async () => {
      progress(`installing ${artifacts.join(", ")}`);
      await writeFile(join(folder, "pom.xml"), pom(artifacts));
      await run("mvn", ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`], folder);
    });
    const file = source(`${program}.java`);
    await runOnce(join(folder, "compiled"), String(statSync(file).mtimeMs), () =>
      run("javac", ["-cp", join(jars, "*"), "-d", classes, file]).then(() => {}),
    );
    const path = `${classes}:${join(jars, "*")}`;
    return { program: "java", args: ["-Xmx6g", "-XX:+UseSerialGC", "-cp", path, program] };
  };
}

function source(name: string): string {
  // This runs in dist/bench/lexical. Only TypeScript is compiled into dist, so other files are in the source folder.
  return fileURLToPath(new URL(`../../../bench/lexical/peers/${name}`, import.meta.url));
}

function pom(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(":");
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return (
    "<project><modelVersion>4.0.0</modelVersion><groupId>bench</groupId><artifactId>bench</artifactId>" +
    `<version>1</version><dependencies>${dependencies.join("")}</dependencies></project>\n`
  );
}

/** Makes the folder with its own .gitignore, so neither git nor Biome sees it. */
async function makeFolder(): Promise<void> {
  await mkdir(PEERS, { recursive: true });
  await writeFile(join(PEERS, ".gitignore"), "*\n");
}

/** Does the work unless the file `mark` says that it was already done for `what`. */
async function runOnce(mark: string, what: string, work: () => Promise<void>): Promise<void> {
  if (existsSync(mark) && (await readFile(mark, "utf8")) === what) return;
  await work();
  await writeFile(mark, what);
}

async function run(program: string, args: readonly string[], cwd?: string): Promise<void> {
  try {
    await promisify(execFile)(program, args, { cwd, timeout: TIMEOUT_MS });
  } catch (error) {
    const { stdout, stderr, message, code } = error as Error & Record<"stdout" | "stderr" | "code", string>;
    if (code === "ENOENT") throw new Error(`${program} is not installed`);
    const output = (stderr || stdout || message).trim().split("\n").slice(0, 3).join(" ");
    throw new Error(`${program}: ${output}`);
  }
}
