// The optional packages. Each is loaded when something first needs it. If that fails, one error says what needs the package,
// why it does not load, and which command installs it.

import { SluiceError } from "../errors/sluice-error.ts";

/** The command that installs each package. */
const INSTALL = {
  // npm leaves it out with --omit=optional, and on machines that have neither a prebuilt binary nor a compiler.
  lmdb: "npm install --include=optional",
  "fs-native-extensions": "npm install fs-native-extensions",
  // Its install script downloads GPU libraries that we do not use. If the download fails, npm does not install the package.
  "onnxruntime-node": "npm install --ignore-scripts onnxruntime-node",
  "multilingual-stemmer": "npm install multilingual-stemmer",
  webgpu: "npm install webgpu",
  hyparquet: "npm install hyparquet",
  "hyparquet-compressors": "npm install hyparquet-compressors",
  "@observablehq/plot": "npm install @observablehq/plot linkedom",
  linkedom: "npm install @observablehq/plot linkedom",
  "@modelcontextprotocol/server": "npm install @modelcontextprotocol/server @modelcontextprotocol/node",
  "@modelcontextprotocol/node": "npm install @modelcontextprotocol/server @modelcontextprotocol/node",
  "@opensearch-project/opensearch": "npm install @opensearch-project/opensearch",
} as const;

export type OptionalPackage = keyof typeof INSTALL;

/**
 * The error for a package that does not load. `what` begins the sentence and says what needs the package, `cause` is the
 * error of the import, and `otherwise` says what you can do without the package.
 */
export function missingPackageError(
  name: OptionalPackage,
  what: string,
  cause: unknown,
  otherwise?: string,
): SluiceError {
  const hint = `install it: ${INSTALL[name]}${otherwise ? `; ${otherwise}` : ""}`;
  return new SluiceError(
    `${what} the package ${name}, which ${failure(name, cause)}`,
    hint,
    "ERR_SLUICE_MISSING_PACKAGE",
    undefined,
    name,
  );
}

function failure(name: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  const isAbsent = code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${name}'`);
  return isAbsent ? "is not installed" : `does not load: ${message.split("\n")[0]}`;
}
