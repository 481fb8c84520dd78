// An array of numbers that grows as it is filled.

type Growable = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

/** The same array, or one at least half as large again that begins with it. */
export function grown<T extends Growable>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5) + 1024);
  larger.set(array);
  return larger;
}
