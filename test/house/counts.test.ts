// `docs` is a count (GLOSSARY.md). Documents, their numbers and scored documents have other names: `documents`, `docNumbers`,
// `ranked`, `scored`.

import { relative } from "node:path";
import { expect, test } from "vitest";
import type ts6 from "../../docs/node_modules/typescript/lib/typescript.d.ts";
import { compile, publicEntries, root, ts } from "./compile.ts";

/** Files where `docs` is a list of document numbers, and why. The list should only become shorter. */
const NUMBERS = "numbers of documents, as an array that kernels read or fill";
const OTHERWISE: Readonly<Record<string, string>> = {
  "src/densify/spread.ts": NUMBERS,
  "src/lab/eval/document-rows.ts": NUMBERS,
  "src/scan/contract/candidates.ts": NUMBERS,
  "src/scan/wasm/scan-messages.ts": NUMBERS,
  "src/scan/wasm/scan-pool.ts": NUMBERS,
  "src/scan/wasm/wasm-first-stage.ts": NUMBERS,
  "src/scan/webgpu/device-plan.ts": NUMBERS,
  "src/scan/webgpu/device-search.ts": NUMBERS,
  "src/scan/webgpu/gpu-first-stage.ts": NUMBERS,
  "src/scan/webgpu/read-results.ts": NUMBERS,
  "src/segment/columns/column.ts": NUMBERS,
  "src/segment/columns/columns-builder.ts": NUMBERS,
  "src/segment/lexical/postings.ts": NUMBERS,
  "src/store/snapshot/require-doc.ts": NUMBERS,
  "src/support/numbers/topk.ts": NUMBERS,
  "src/wasm/float16-vectors.ts": NUMBERS,
};

/** Types that describe a number: schemas, and the shape of JSON. */
const DESCRIBES_NUMBER = /^(?:ZodInt|ShapeCheck)$/;

type Named = ts6.NamedDeclaration & { readonly name: ts6.DeclarationName };

function isNamedDocs(node: ts6.Node): node is Named {
  const isDeclared =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isGetAccessorDeclaration(node);
  return isDeclared && /^#?docs$/.test(node.name.getText());
}

test("what is called docs is a number", () => {
  const { program, checker } = compile(publicEntries());
  const counts: string[] = [];
  const others: string[] = [];
  for (const source of program.getSourceFiles()) {
    const file = relative(root, source.fileName);
    if (!file.startsWith("src/")) continue;
    const visit = (node: ts6.Node): void => {
      ts.forEachChild(node, visit);
      if (!isNamedDocs(node)) return;
      const type = checker.getNonNullableType(checker.getTypeAtLocation(node.name));
      const parts = type.isUnion() ? type.types : [type];
      const isCount =
        parts.every(({ flags }) => flags & ts.TypeFlags.NumberLike) ||
        DESCRIBES_NUMBER.test(checker.typeToString(type));
      (isCount ? counts : others).push(file);
    };
    visit(source);
  }
  expect(counts.length).toBeGreaterThan(200);
  expect([...new Set(others)].sort()).toEqual(Object.keys(OTHERWISE).sort());
});
