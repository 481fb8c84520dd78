// Reads the messages of protocol buffers, the format of ONNX files: a message is a list of fields, and a field is a number
// (its name), a kind and a content.

/** A field of a message. */
export interface MessageField {
  readonly number: number;
  /** All bytes of the field. */
  readonly whole: Uint8Array;
  /** The content of a field that has a length. */
  readonly content: Uint8Array;
  /** The value of a varint. Negative numbers below −2^53 are wrong. */
  readonly value: number;
}

/** The kinds of fields: a varint, eight bytes, bytes with their length, four bytes. */
const [VARINT, EIGHT, FOUR] = [0, 1, 5];
export const LENGTH_DELIMITED = 2;

/** Throws a RangeError if the message ends in the middle of a field. */
export function parseMessage(message: Uint8Array): MessageField[] {
  const fields: MessageField[] = [];
  let at = 0;
  const number = () => {
    const [value, next] = readVarint(message, at);
    at = next;
    return value;
  };
  while (at < message.length) {
    const start = at;
    const tag = number();
    const kind = tag & 7;
    let length = kind === EIGHT ? 8 : kind === FOUR ? 4 : 0;
    let value = 0;
    if (kind === VARINT) value = number();
    else if (kind === LENGTH_DELIMITED) length = number();
    if (at + length > message.length) throw new RangeError("a field ends in the middle");
    const content = message.subarray(at, at + length);
    at += length;
    fields.push({ number: tag >>> 3, whole: message.subarray(start, at), content, value });
  }
  return fields;
}

/** The varint at a position, and the position after it. */
export function readVarint(message: Uint8Array, at: number): [value: number, next: number] {
  let [value, factor, next] = [0, 1, at];
  for (;;) {
    if (next >= message.length) throw new RangeError("a number ends in the middle");
    const byte = message[next++];
    value += (byte & 127) * factor;
    if (byte < 128) return [value, next];
    factor *= 128;
  }
}

/** The text in the first field of this number; empty if there is none. */
export function fieldText(message: Uint8Array, number: number): string {
  const field = parseMessage(message).find((each) => each.number === number);
  return field ? new TextDecoder().decode(field.content) : "";
}
