// TypeScript's own view of the public API: the files that users import, compiled, with a checker that knows every type.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type ts6 from "../../docs/node_modules/typescript/lib/typescript.d.ts";

// The documents need a TypeScript with an API for programs; the newest has none.
export const ts: typeof ts6 = createRequire(import.meta.url)("../../docs/node_modules/typescript");
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The sources of all that users can import. */
export function publicEntries(): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.values<{ types?: string }>(exports)
    .flatMap(({ types }) => types ?? [])
    .map((path) => join(root, path.replace("dist/", "").replace(/\.d\.ts$/, ".ts")));
}

/**
 * These sources, compiled. `named` follows a name to what it stands for, `exportsOf` lists what a source exports, and `sourceOf`
 * is the tree of a file.
 */
export function compile(entries: readonly string[]) {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: entries, include: [] }, ts.sys, root);
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const named = (symbol: ts6.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const sourceOf = (file: string) => program.getSourceFile(file)!;
  const exportsOf = (entry: string) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(sourceOf(entry))!).map(named);
  return { checker, named, exportsOf, sourceOf };
}

/** What a caller does not see: bodies, private members, and what is marked `@internal`. */
export function isHidden(node: ts6.Node): boolean {
  if (ts.isBlock(node) || ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal"))
    return true;
  if (ts.isClassElement(node) && node.name && ts.isPrivateIdentifier(node.name)) return true;
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false)
  );
}
