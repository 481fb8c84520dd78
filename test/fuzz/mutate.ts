// An input → another input that is a little different. All choices come from one seeded generator.

import { bytesOfText, type Target, textOf } from "./contract/target.ts";

export interface MutationSource {
  readonly random: () => number;
  /** Texts that the code compares its input with. */
  readonly words: readonly string[];
  /** Inputs that reached something new. */
  readonly corpus: readonly Uint8Array[];
  readonly form: Target["form"];
  readonly longest: number;
}

/** Numbers at the edges of types. */
const NUMBERS = [
  ...[0, 1, 2, 3, 7, 16, 32, 64, 100, 127, 128, 255, 256, 1000, 4096, 32767, 32768, 65535, 65536, 1e6],
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 1e20, 1e308],
];
/** At most so many changes make a new input. */
const MOST_CHANGES = 6;

export function mutated(input: Uint8Array, source: MutationSource): Uint8Array {
  let bytes = input;
  const changes = 1 + Math.floor(source.random() ** 2 * MOST_CHANGES);
  for (let i = 0; i < changes; i++) {
    const isJson = source.form !== undefined && source.random() < 0.6;
    bytes = (isJson && changedJson(bytes, source)) || changedBytes(bytes, source);
  }
  return bytes.length > source.longest ? bytes.subarray(0, source.longest) : bytes;
}

function changedBytes(bytes: Uint8Array, { random, words, corpus }: MutationSource): Uint8Array {
  const below = (most: number) => Math.floor(random() * most);
  const at = below(bytes.length + 1);
  const length = Math.min(bytes.length - at, 1 + below(random() < 0.7 ? 8 : bytes.length));
  const replace = (removed: number, added: Uint8Array) =>
    joined(bytes.subarray(0, at), added, bytes.subarray(at + removed));
  const part = () => {
    const from = corpus.length > 0 ? corpus[below(corpus.length)] : bytes;
    const start = below(from.length);
    return from.subarray(start, start + 1 + below(random() < 0.5 ? 16 : from.length));
  };
  switch (below(10)) {
    case 0: {
      const changed = bytes.slice();
      if (changed.length > 0) changed[below(changed.length)] ^= 1 << below(8);
      return changed;
    }
    case 1:
      return replace(1, Uint8Array.of(below(256)));
    case 2:
      return replace(0, Uint8Array.of(below(256)));
    case 3:
      return replace(length, new Uint8Array());
    case 4: {
      const repeated = bytes.subarray(at, at + length);
      return replace(
        0,
        joined(...Array.from({ length: 1 + below(random() < 0.9 ? 2 : 200) }, () => repeated)),
      );
    }
    case 5:
      return replace(random() < 0.5 ? 0 : length, part());
    case 6:
      return replace(random() < 0.5 ? 0 : length, bytesOfText(words[below(words.length)] ?? ""));
    case 7: {
      const size = [1, 2, 4, 8][below(4)];
      const number = new Uint8Array(8);
      const value = NUMBERS[below(NUMBERS.length)];
      new DataView(number.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(Math.min(value, 2 ** 63))), true);
      return replace(random() < 0.2 ? 0 : size, number.subarray(0, size));
    }
    case 8:
      return withOtherNumber(bytes, at, String(NUMBERS[below(NUMBERS.length)] * (random() < 0.2 ? -1 : 1)));
    default:
      return joined(bytes.subarray(0, at), part());
  }
}

/** The digits after a position, replaced. */
function withOtherNumber(bytes: Uint8Array, at: number, digits: string): Uint8Array {
  const isDigit = (i: number) => bytes[i] >= 48 && bytes[i] <= 57;
  let start = at;
  while (start < bytes.length && !isDigit(start)) start++;
  let end = start;
  while (end < bytes.length && isDigit(end)) end++;
  return joined(bytes.subarray(0, start), bytesOfText(digits), bytes.subarray(end));
}

/** Changes a value or a key. Undefined if the bytes are not JSON. */
function changedJson(bytes: Uint8Array, source: MutationSource): Uint8Array | undefined {
  const zero = source.form === "json-head" ? bytes.indexOf(0) : -1;
  const end = zero < 0 ? bytes.length : zero;
  const root: { value?: unknown } = {};
  try {
    root.value = JSON.parse(textOf(bytes.subarray(0, end)));
  } catch {
    return undefined;
  }
  const places = placesOf(root, []);
  const { holder, key } = places[Math.floor(source.random() * places.length)];
  changeValue(holder as Record<string, unknown>, key, places, source);
  return joined(bytesOfText(JSON.stringify(root.value) ?? ""), bytes.subarray(end));
}

interface JsonPlace {
  readonly holder: object;
  readonly key: string;
}

function placesOf(holder: object, found: JsonPlace[]): JsonPlace[] {
  for (const [key, value] of Object.entries(holder)) {
    found.push({ holder, key });
    if (typeof value === "object" && value !== null) placesOf(value, found);
  }
  return found;
}

function changeValue(
  holder: Record<string, unknown>,
  key: string,
  places: readonly JsonPlace[],
  { random, words }: MutationSource,
): void {
  const below = (most: number) => Math.floor(random() * most);
  const word = () => words[below(words.length)] ?? "";
  const other = () => {
    const place = places[below(places.length)];
    return structuredClone((place.holder as Record<string, unknown>)[place.key]);
  };
  const old = holder[key];
  switch (below(9)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      return;
    case 1:
      holder[key] = [null, true, false, "", [], {}, 0, -1, 0.5][below(9)];
      return;
    case 2:
      holder[key] = NUMBERS[below(NUMBERS.length)] * (random() < 0.2 ? -1 : 1);
      return;
    case 3:
      holder[key] = word();
      return;
    case 4:
      holder[key] = other();
      return;
    case 5:
      if (Array.isArray(old)) old.splice(below(old.length + 1), 0, other());
      else if (typeof old === "object" && old !== null) (old as Record<string, unknown>)[word()] = other();
      else holder[key] = [old];
      return;
    case 6:
      holder[key] = { [word()]: old };
      return;
    case 7:
      if (!Array.isArray(holder)) {
        delete holder[key];
        holder[word()] = old;
      }
      return;
    default:
      if (typeof old === "number") holder[key] = old + (below(2) === 0 ? 1 : -1) * 2 ** below(8);
      else if (typeof old === "string") holder[key] = old + word();
      else holder[key] = JSON.stringify(old) ?? "";
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
