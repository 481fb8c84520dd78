// The packages that an installation may lack. Each is loaded when something first needs it; where that fails, one error says
// what needs it, why it does not load, and which command installs it.

import { UsageError } from "../errors.ts";

/** The command that installs each. */
const INSTALL = {
  // npm leaves it out with --omit=optional, and where neither a prebuilt binary nor a compiler is to be had.
  lmdb: "npm install --include=optional",
  "fs-native-extensions": "npm install fs-native-extensions",
  // Its script downloads GPU libraries that are not used here, and the package is not installed where that fails.
  "onnxruntime-node": "npm install --ignore-scripts onnxruntime-node",
  webgpu: "npm install webgpu",
  hyparquet: "npm install hyparquet",
  "hyparquet-compressors": "npm install hyparquet-compressors",
  "@observablehq/plot": "npm install @observablehq/plot linkedom",
  linkedom: "npm install @observablehq/plot linkedom",
  "@modelcontextprotocol/server": "npm install @modelcontextprotocol/server @modelcontextprotocol/node",
  "@modelcontextprotocol/node": "npm install @modelcontextprotocol/server @modelcontextprotocol/node",
} as const;

export type OptionalPackage = keyof typeof INSTALL;

/**
 * The error of something that needs a package: `what` says what that is, as the beginning of a sentence, `cause` why the
 * package does not load, `otherwise` what can be done without it.
 */
export function missingPackage(
  name: OptionalPackage,
  what: string,
  cause: unknown,
  otherwise?: string,
): UsageError {
  const hint = `install it: ${INSTALL[name]}${otherwise ? `; ${otherwise}` : ""}`;
  return new UsageError(
    `${what} the package ${name}, which ${failure(name, cause)}`,
    hint,
    "ERR_SLUICE_MISSING_PACKAGE",
  );
}

function failure(name: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isAbsent = code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${name}'`);
  return isAbsent ? "is not installed" : `does not load: ${message.split("\n")[0]}`;
}
