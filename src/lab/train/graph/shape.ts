// Lengths of tensors. Some are known only when a graph runs: those are names, such as "rows", and what follows from
// names, such as "rows*tokens" and "tokens-1" (the minus binds tighter).

import type { Dim } from "./onnx.ts";

export type Shape = readonly Dim[];

/** What elementwise operations make of two shapes; undefined when they do not go together. */
export function broadcast(a: Shape, b: Shape): Dim[] | undefined {
  const rank = Math.max(a.length, b.length);
  const shape: Dim[] = [];
  for (let i = 0; i < rank; i++) {
    const [x, y] = [a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1];
    if (x !== y && x !== 1 && y !== 1) return undefined;
    shape.push(x === 1 ? y : x);
  }
  return shape;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dim, i) => dim === b[i]);
}

/** The length of axes that are laid end to end. */
export function product(dims: Shape): Dim {
  const known = dims.reduce<number>((sum, dim) => (typeof dim === "number" ? sum * dim : sum), 1);
  const names = dims.filter((dim) => typeof dim === "string");
  if (names.length === 0) return known;
  return [...(known === 1 ? [] : [String(known)]), ...names].join("*");
}

/** The length of an axis from `start` on. */
export function lengthFrom(dim: Dim, start: number): Dim {
  if (typeof dim === "number") return dim - start;
  return start === 0 ? dim : `${dim}-${start}`;
}

/** The factors of a length: numbers, or names with what is taken from them. */
export function factors(dim: string): (number | { readonly name: string; readonly less: number })[] {
  return dim.split("*").map((factor) => {
    if (/^\d+$/.test(factor)) return Number(factor);
    const [name, ...less] = factor.split("-");
    return { name, less: less.reduce((sum, each) => sum + Number(each), 0) };
  });
}
