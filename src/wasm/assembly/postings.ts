// Posting lists → sums by document. A posting is a document's lane (u16) and a code (u8) for its value; a table of 256
// entries holds what each code adds. Sums over whole lists are int32, so the order of additions does not matter.

/** acc[docs[i]] += table[codes[i]], int32, for every posting of a list. */
export function scatter(docs: usize, codes: usize, count: i32, table: usize, acc: usize): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const lanes = load<u64>(docs);
    const four = load<u32>(codes);
    const a = acc + ((<usize>(lanes & 0xffff)) << 2);
    const b = acc + ((<usize>((lanes >> 16) & 0xffff)) << 2);
    const c = acc + ((<usize>((lanes >> 32) & 0xffff)) << 2);
    const d = acc + ((<usize>(lanes >> 48)) << 2);
    // A list names a document at most once, so these are four different sums.
    store<i32>(a, load<i32>(a) + load<i32>(table + ((<usize>(four & 0xff)) << 2)));
    store<i32>(b, load<i32>(b) + load<i32>(table + ((<usize>((four >> 8) & 0xff)) << 2)));
    store<i32>(c, load<i32>(c) + load<i32>(table + ((<usize>((four >> 16) & 0xff)) << 2)));
    store<i32>(d, load<i32>(d) + load<i32>(table + ((<usize>(four >> 24)) << 2)));
    docs += 8;
    codes += 4;
  }
  for (; i < count; i++) {
    const a = acc + ((<usize>load<u16>(docs)) << 2);
    store<i32>(a, load<i32>(a) + load<i32>(table + ((<usize>load<u8>(codes)) << 2)));
    docs += 2;
    codes += 1;
  }
}

/**
 * The same for listed documents only: sums[lane] += table[code], float32, if the posting list holds the lane. Postings
 * and lanes ascend.
 */
export function lookUp(
  docs: usize,
  codes: usize,
  count: i32,
  table: usize,
  lanes: usize,
  listed: i32,
  sums: usize,
): void {
  let at = 0;
  for (let i = 0; i < listed; i++) {
    const lane = load<u32>(lanes + ((<usize>i) << 2));
    at = seek(docs, count, lane, at);
    if (at >= count) return;
    if (<u32>load<u16>(docs + ((<usize>at) << 1)) === lane) {
      const sum = sums + ((<usize>lane) << 2);
      store<f32>(sum, load<f32>(sum) + load<f32>(table + ((<usize>load<u8>(codes + at)) << 2)));
    }
  }
}

/** found[i] = the position of lanes[i] in the posting list, or −1. Postings and lanes ascend. */
export function find(docs: usize, count: i32, lanes: usize, listed: i32, found: usize): void {
  let at = 0;
  for (let i = 0; i < listed; i++) {
    const lane = load<u32>(lanes + ((<usize>i) << 2));
    at = seek(docs, count, lane, at);
    const holds = at < count && <u32>load<u16>(docs + ((<usize>at) << 1)) === lane;
    store<i32>(found + ((<usize>i) << 2), holds ? at : -1);
  }
}

/** The first posting from `low` on whose lane is at least `lane`: a galloping search, then a binary one. */
function seek(docs: usize, count: i32, lane: u32, low: i32): i32 {
  let step = 1;
  let high = low;
  while (high < count && <u32>load<u16>(docs + ((<usize>high) << 1)) < lane) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  if (high > count) high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (<u32>load<u16>(docs + ((<usize>middle) << 1)) < lane) low = middle + 1;
    else high = middle;
  }
  return low;
}
