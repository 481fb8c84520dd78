// Text or bytes → hashes that are the same on every machine and in every version: MurmurHash3 (x86, 32 bits) over UTF-8.

const encoder = new TextEncoder();
/** Scratch space for texts of up to 341 UTF-16 units; a longer text gets an array of its own. */
const short = new Uint8Array(1024);
/** The bytes of the text that is being hashed. Reused, because an array for each of 100,000s of texts would be slow. */
let utf8 = short;

/** MurmurHash3_x86_32 of the UTF-8 bytes of a text. */
export function hash32(text: string, seed = 0): number {
  const length = encode(text);
  return hashBytes(utf8, seed, length);
}

/** Writes the UTF-8 bytes of a text into `utf8`, and returns how many there are. */
function encode(text: string): number {
  const most = text.length * 3; // a unit of UTF-16 takes at most three bytes
  utf8 = most > short.length ? new Uint8Array(most) : short;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return encoder.encodeInto(text, utf8).written;
    utf8[i] = unit;
  }
  return text.length;
}

/** MurmurHash3_x86_32 of the first `length` bytes; of all when it is left out. */
export function hashBytes(bytes: Uint8Array, seed = 0, length = bytes.length): number {
  return hashRange(bytes, 0, length, seed);
}

function hashRange(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let h = seed;
  const length = end - start;
  const whole = start + (length & ~3);
  for (let i = start; i < whole; i += 4) {
    h ^= scramble(bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24));
    h = Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64;
  }
  let tail = 0;
  for (let i = end - 1; i >= whole; i--) tail = (tail << 8) | bytes[i];
  h ^= scramble(tail) ^ length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

function scramble(k: number): number {
  const mixed = Math.imul(k, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

/** A hash of a list of texts or arrays, as sixteen hexadecimal digits. */
export class Fingerprint {
  #low = 0;
  #high = 0x9e3779b9;

  /** The hash of a part starts from the hash of the parts before it, so order and boundaries count. */
  add(part: string | Uint8Array): this {
    const length = typeof part === "string" ? encode(part) : part.length;
    const bytes = typeof part === "string" ? utf8 : part;
    return this.addRange(bytes, 0, length);
  }

  /** Adds a part of an array, as `add` adds an array of its own. */
  addRange(bytes: Uint8Array, start: number, end: number): this {
    this.#low = hashRange(bytes, start, end, this.#low);
    this.#high = hashRange(bytes, start, end, this.#high);
    return this;
  }

  /** A copy that you can go on with; this one stays as it is. */
  copy(): Fingerprint {
    const copy = new Fingerprint();
    copy.#low = this.#low;
    copy.#high = this.#high;
    return copy;
  }

  toString(): string {
    return [this.#high, this.#low].map((word) => word.toString(16).padStart(8, "0")).join("");
  }
}
