// Shapes of tensors. A length that is known only when a graph runs is a name, such as "rows", or an expression of names,
// such as "rows*tokens" and "tokens-1" (the minus binds tighter).

import type { Dim } from "./onnx.ts";

export type Shape = readonly Dim[];

/** Returns the shape of an elementwise operation; undefined if the two shapes cannot be broadcast. */
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

export function hasSameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dim, i) => dim === b[i]);
}

/** Returns the length of several axes joined into one. */
export function product(dims: Shape): Dim {
  const known = dims.reduce<number>((sum, dim) => (typeof dim === "number" ? sum * dim : sum), 1);
  const names = dims.filter((dim) => typeof dim === "string");
  if (names.length === 0) return known;
  return [...(known === 1 ? [] : [String(known)]), ...names].join("*");
}

/** Returns the length of an axis from `start` on. */
export function lengthFrom(dim: Dim, start: number): Dim {
  if (typeof dim === "number") return dim - start;
  return start === 0 ? dim : `${dim}-${start}`;
}

/** Returns the factors of a length: numbers, or names with the number to subtract. */
export function factors(dim: string): (number | { readonly name: string; readonly less: number })[] {
  return dim.split("*").map((factor) => {
    if (/^\d+$/.test(factor)) return Number(factor);
    const [name, ...less] = factor.split("-");
    return { name, less: less.reduce((sum, each) => sum + Number(each), 0) };
  });
}
