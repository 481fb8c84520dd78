// Who calls `Sluice` can name everything that goes in and comes out: `import … from "sluice"` offers every type in a signature of
// the class. A program that wraps a call needs these names for its own signatures.

import { join } from "node:path";
import { expect, test } from "vitest";
import type ts6 from "../../docs/node_modules/typescript/lib/typescript.d.ts";
import { compile, isHidden, root, ts } from "./compile.ts";

/** The names of our types in the signatures of a class, and the parameters whose type has no name. */
function typesInSignatures(compiled: ReturnType<typeof compile>, type: ts6.Symbol) {
  const { checker, named } = compiled;
  const types = new Set<ts6.Symbol>();
  const nameless: string[] = [];
  const visit = (node: ts6.Node): void => {
    if (isHidden(node)) return;
    if (ts.isParameter(node) && node.type && ts.isTypeLiteralNode(node.type)) nameless.push(node.getText());
    if (ts.isTypeReferenceNode(node)) {
      const found = named(checker.getSymbolAtLocation(node.typeName)!);
      const isDeclaredHere = found.declarations?.some((one) =>
        one.getSourceFile().fileName.startsWith(join(root, "src")),
      );
      if (isDeclaredHere && !(found.flags & ts.SymbolFlags.TypeParameter)) types.add(found);
    }
    ts.forEachChild(node, visit);
  };
  for (const declaration of type.declarations ?? []) visit(declaration);
  return { types: [...types], nameless };
}

test("every type in a signature of Sluice can be imported from sluice", { timeout: 120_000 }, () => {
  const entry = join(root, "src/index.ts");
  const compiled = compile([entry]);
  const offered = compiled.exportsOf(entry);
  const { types, nameless } = typesInSignatures(compiled, offered.find(({ name }) => name === "Sluice")!);
  expect(types.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["ListOptions", "Answer", "Document"]),
  );
  expect(types.filter((type) => !offered.includes(type)).map(({ name }) => name)).toEqual([]);
  expect(nameless).toEqual([]);
});

test("a type is in sluice or in sluice/search, not in both", { timeout: 120_000 }, () => {
  const entries = [join(root, "src/index.ts"), join(root, "src/search/index.ts")];
  const compiled = compile(entries);
  const [whole, parts] = entries.map((entry) => compiled.exportsOf(entry));
  expect(parts.length).toBeGreaterThan(40);
  expect(parts.filter((part) => whole.includes(part)).map(({ name }) => name)).toEqual([]);
});
