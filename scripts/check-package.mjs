// Checks the package before it goes to npm. publint compares the manifest with the files; "are the types wrong" resolves
// every entry as TypeScript does, in each of its modes. Problems of CommonJS are ignored: the package has only ES modules.
//   node scripts/check-package.mjs [FOLDER]   where the package is, or is left; without it, one is packed and removed
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { pack } from "./pack.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const ES_MODULES = ["node16-esm", "bundler"];
const folder = mkdtempSync(join(tmpdir(), "sluice-pack-"));
try {
  const file = pack(process.argv[2] ?? folder);
  const tarball = readFileSync(file);

  const manifest = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const { messages } = await publint({ pack: { tarball: toArrayBuffer(tarball) }, strict: true });
  for (const message of messages) console.error(`publint: ${formatMessage(message, manifest)}`);

  const { problems = [], types } = await checkPackage(createPackageFromTarballData(tarball));
  const wrong = problems.filter(
    ({ resolutionKind }) => !resolutionKind || ES_MODULES.includes(resolutionKind),
  );
  for (const { kind, entrypoint, resolutionKind } of wrong)
    console.error(`types: ${kind} at ${entrypoint ?? "the package"} (${resolutionKind ?? "all"})`);
  if (!types) console.error("types: the package has none");

  if (messages.length > 0 || wrong.length > 0 || !types) process.exitCode = 1;
  else console.log(`${basename(file)}: ${Object.keys(manifest.exports).length} entries, no problems`);
} finally {
  rmSync(folder, { recursive: true });
}

function toArrayBuffer(bytes) {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}
