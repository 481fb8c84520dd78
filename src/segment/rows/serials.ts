// Serial numbers of documents, ascending ↔ bytes. Most documents have the number after the one before, so runs are kept:
//
//   RUN := ahead:varint documents − 1:varint
//
// `ahead` is how far the first number is above the next free one, which is 0 at first. So most segments take a few bytes.

/** The most bytes of a run of one document: its number has at most 53 bits. */
export const MOST_SERIAL_BYTES = 8 + 1;

export function packSerials(serials: Float64Array): Uint8Array {
  const bytes: number[] = [];
  for (let [i, next] = [0, 0]; i < serials.length; ) {
    let length = 1;
    while (i + length < serials.length && serials[i + length] === serials[i] + length) length++;
    putNumber(bytes, serials[i] - next);
    putNumber(bytes, length - 1);
    next = serials[i] + length;
    i += length;
  }
  return Uint8Array.from(bytes);
}

/** Serial numbers can have more than 32 bits, so this divides instead of shifting. */
function putNumber(bytes: number[], number: number): void {
  let rest = number;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
}

/** Bytes that hold fewer than `docs` numbers leave the rest 0. */
export function unpackSerials(bytes: Uint8Array, docs: number): Float64Array {
  const serials = new Float64Array(docs);
  let at = 0;
  const number = () => {
    let [value, worth] = [0, 1];
    for (; bytes[at] > 0x7f; worth *= 128) value += (bytes[at++] - 128) * worth;
    return value + (bytes[at++] ?? 0) * worth;
  };
  for (let [doc, next] = [0, 0]; doc < docs && at < bytes.length; ) {
    next += number();
    const end = Math.min(docs, doc + 1 + number());
    while (doc < end) serials[doc++] = next++;
  }
  return serials;
}
