// Packed posting lists → lanes and values: what segment/lexical/packed-postings.ts does in TypeScript, for loading a segment.

/** Postings of a block. */
const BLOCK: i32 = 128;

/**
 * Unpacks a list of `count` postings into u16 lanes and u16 values. `classes` is the class of each lane, or 0 if there is
 * one class; `starts` and `classValues` are the values of classes. Stores the largest value at `top`, and returns the address
 * after the list. Up to two bytes after the list are looked at.
 */
export function unpackList(
  list: usize,
  count: i32,
  classes: usize,
  starts: usize,
  classValues: usize,
  lanes: usize,
  values: usize,
  top: usize,
): usize {
  let next: u32 = 0;
  let most: u32 = 0;
  for (let from = 0; from < count; from += BLOCK) {
    const size = min(BLOCK, count - from);
    list = unpackBlock(unpackBlock(list, size, lanes), size, values);
    const end = lanes + ((<usize>size) << 1);
    for (; lanes < end; lanes += 2) {
      next += <u32>load<u16>(lanes);
      store<u16>(lanes, <u16>next);
      const start: u32 =
        classes === 0 ? 0 : load<u32>(starts + ((<usize>load<u8>(classes + <usize>next)) << 2));
      const value = <u32>load<u16>(classValues + ((<usize>(start + <u32>load<u16>(values))) << 1));
      store<u16>(values, <u16>value);
      most = max(most, value);
      next++;
      values += 2;
    }
  }
  store<u16>(top, <u16>most);
  return list;
}

/** Reads a block of numbers, and returns the address of the next one. */
function unpackBlock(block: usize, count: i32, numbers: usize): usize {
  const head = <u32>load<u8>(block);
  const bits = head & 31;
  const mask: u32 = (1 << bits) - 1;
  block++;
  for (let i: u32 = 0, bit: u32 = 0; i < <u32>count; i++, bit += bits) {
    const word = load<u32>(block + <usize>(bit >>> 3));
    store<u16>(numbers + ((<usize>i) << 1), <u16>((word >>> (bit & 7)) & mask));
  }
  block += <usize>((<u32>count * bits + 7) >>> 3);
  for (let exceptions = head >>> 5; exceptions > 0; exceptions--) {
    const number = numbers + ((<usize>load<u8>(block)) << 1);
    block++;
    let upper: u32 = 0;
    let shift = bits;
    let byte: u32 = 0;
    do {
      byte = <u32>load<u8>(block);
      block++;
      upper |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte > 0x7f);
    store<u16>(number, <u16>(<u32>load<u16>(number) | upper));
  }
  return block;
}
