// Public types only read what they are given: every property and every list in them is `readonly`. So frozen options, options
// `as const` and lists that your program may not change can be given to every call.

import { join, relative } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import type ts6 from "../../docs/node_modules/typescript/lib/typescript.d.ts";
import type { BuildOptions, ExportOptions, Query, SearchOptions, Sluice } from "../../src/index.ts";
import { compile, isHidden, publicEntries, root, ts } from "./compile.ts";

/** Types that are changed while they are used, and why. */
const CHANGED: Readonly<Record<string, string>> = {
  ScanCounts: "a scan counts in it; a ranking has it read-only",
  Port: "the handlers of a port are set, as on the platform's own",
  WorkerLike: "the handlers of a worker are set, as on the platform's own",
};

type Node = ts6.Node;

const hasReadonly = (node: { readonly modifiers?: ts6.NodeArray<ts6.ModifierLike> }) =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false;

/** What a function returns belongs to its caller. */
const isReturned = (node: Node): boolean =>
  ts.isFunctionLike(node.parent) && "type" in node.parent && node.parent.type === node;

const isWritable = (node: Node): boolean =>
  ((ts.isPropertySignature(node) || ts.isIndexSignatureDeclaration(node)) && !hasReadonly(node)) ||
  ((ts.isArrayTypeNode(node) || ts.isTupleTypeNode(node)) && !ts.isTypeOperatorNode(node.parent));

/** All writable parts of the types that users can name, or that those are made of. */
function writableParts(entries: readonly string[]): { types: number; parts: string[] } {
  const { checker, named, exportsOf } = compile(entries);
  const waiting = entries.flatMap(exportsOf);
  const seen = new Set<ts6.Symbol>();
  const parts: string[] = [];
  const visit = (node: Node): void => {
    if (isHidden(node) || isReturned(node)) return;
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
      const symbol = checker.getSymbolAtLocation(name);
      if (symbol) waiting.push(named(symbol));
    }
    if (isWritable(node)) {
      const { fileName, text } = node.getSourceFile();
      const line = text.slice(0, node.getStart()).split("\n").length;
      parts.push(`${relative(root, fileName)}:${line}: ${node.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  for (let symbol = waiting.pop(); symbol; symbol = waiting.pop()) {
    if (seen.has(symbol) || Object.hasOwn(CHANGED, symbol.name)) continue;
    seen.add(symbol);
    for (const declaration of symbol.declarations ?? [])
      if (declaration.getSourceFile().fileName.startsWith(join(root, "src"))) visit(declaration);
  }
  return { types: seen.size, parts };
}

test("every property and every list of a public type is read-only", { timeout: 120_000 }, () => {
  const entries = publicEntries();
  expect(entries.length).toBeGreaterThan(10);
  const { types, parts } = writableParts(entries);
  expect(types).toBeGreaterThan(200);
  expect(parts).toEqual([]);
});

test("frozen options can be given", () => {
  const asked = Object.freeze({
    k: 3,
    filter: { and: [{ year: { in: [1, 2] } }, { or: [{ kind: "a" }] }] },
    boosts: [{ field: "year", decay: "exp", scale: "2y" }],
    exclude: ["1"],
    facets: ["year", { field: "price", ranges: [{ lt: 10 }] }],
    sort: { field: "year", order: "asc" },
    synonyms: [["a", "b"], { from: ["c"], to: ["d"] }],
    fields: ["year"],
    plan: { kind: "pruned", theta: 0.3 },
  } as const);
  expectTypeOf(asked).toExtend<SearchOptions>();
  const queries = Object.freeze(["a", { text: "b", must: ["c", { phrase: "d e" }] }] as const);
  expectTypeOf(queries).toExtend<readonly Query[]>();
  const built = Object.freeze({ vocabulary: ["a"], fieldWeights: { title: 2 }, stopWords: ["the"] } as const);
  expectTypeOf(built).toExtend<BuildOptions>();
  const kept = Object.freeze({ keepFields: ["title"] } as const);
  expectTypeOf(kept).toExtend<ExportOptions>();
});

interface Article {
  readonly id: string;
  readonly text: string;
  readonly year: number;
  readonly author: { readonly name: string };
}

test("a filter knows the fields of the documents, and paths into them", () => {
  type Known = NonNullable<Parameters<Sluice<Article>["search"]>[1]>["filter"];
  expectTypeOf({ year: { lt: 1933 } } as const).toExtend<Known>();
  expectTypeOf({ "author.name": "Stevin", "passage.of": "a" } as const).toExtend<Known>();
  expectTypeOf({ or: [{ year: 1 }, { not: { text: "x" } }] } as const).toExtend<Known>();
  const filterBy = (filter: Known) => filter;
  // @ts-expect-error: a field that no document has
  filterBy({ yeer: 1 });
  type Free = NonNullable<Parameters<Sluice["search"]>[1]>["filter"];
  expectTypeOf({ yeer: 1 } as const).toExtend<Free>();
});
