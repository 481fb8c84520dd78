// Enlarges a typed array that is filled step by step.

type Growable = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array;

/** The array itself if `length` numbers fit; otherwise a copy that holds 1.5 × `length` numbers and 1,024 more. */
export function ensureCapacity<T extends Growable>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5) + 1024);
  larger.set(array);
  return larger;
}
