// Serial numbers of documents, ascending ↔ bytes. The first number is stored as it is, and each other one as the count of numbers that are
// skipped before it, all as varints. Few numbers are skipped, so most documents take one byte.

export function packSerials(serials: Float64Array): Uint8Array {
  const bytes: number[] = [];
  let next = 0;
  for (const serial of serials) {
    let ahead = serial - next;
    // Serial numbers can have more than 32 bits, so this divides instead of shifting.
    for (; ahead > 0x7f; ahead = Math.floor(ahead / 128)) bytes.push((ahead % 128) + 128);
    bytes.push(ahead);
    next = serial + 1;
  }
  return Uint8Array.from(bytes);
}

/** Bytes that hold fewer than `docs` numbers leave the rest 0. */
export function unpackSerials(bytes: Uint8Array, docs: number): Float64Array {
  const serials = new Float64Array(docs);
  let [at, next] = [0, 0];
  for (let doc = 0; doc < docs && at < bytes.length; doc++) {
    let [ahead, worth] = [0, 1];
    for (; bytes[at] > 0x7f; worth *= 128) ahead += (bytes[at++] - 128) * worth;
    serials[doc] = next + ahead + bytes[at++] * worth;
    next = serials[doc] + 1;
  }
  return serials;
}
