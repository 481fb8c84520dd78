// Inverted lists: add a cell's postings to the sums of the documents they name. A posting is the document's place in
// its window (u16) and a code (u8) for its value; a table of 256 says what each code adds. Sums of whole lists are int32, so
// that the order of additions does not matter.

/** acc[docs[i]] += table[codes[i]], int32, for every posting of a list. */
export function scatter(docs: usize, codes: usize, count: i32, table: usize, acc: usize): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const places = load<u64>(docs);
    const four = load<u32>(codes);
    const a = acc + ((<usize>(places & 0xffff)) << 2);
    const b = acc + ((<usize>((places >> 16) & 0xffff)) << 2);
    const c = acc + ((<usize>((places >> 32) & 0xffff)) << 2);
    const d = acc + ((<usize>(places >> 48)) << 2);
    // A document stands once in a list: the four sums are different ones.
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
 * The same for listed documents only: sums[place] += table[code], float32, where the list holds the place. Both are in
 * ascending order.
 */
export function lookUp(
  docs: usize,
  codes: usize,
  count: i32,
  table: usize,
  places: usize,
  listed: i32,
  sums: usize,
): void {
  let at = 0;
  for (let i = 0; i < listed; i++) {
    const place = load<u32>(places + ((<usize>i) << 2));
    at = seek(docs, count, place, at);
    if (at >= count) return;
    if (<u32>load<u16>(docs + ((<usize>at) << 1)) === place) {
      const sum = sums + ((<usize>place) << 2);
      store<f32>(sum, load<f32>(sum) + load<f32>(table + ((<usize>load<u8>(codes + at)) << 2)));
    }
  }
}

/** found[i] is where the list holds places[i], or −1. Both are in ascending order. */
export function find(docs: usize, count: i32, places: usize, listed: i32, found: usize): void {
  let at = 0;
  for (let i = 0; i < listed; i++) {
    const place = load<u32>(places + ((<usize>i) << 2));
    at = seek(docs, count, place, at);
    const holds = at < count && <u32>load<u16>(docs + ((<usize>at) << 1)) === place;
    store<i32>(found + ((<usize>i) << 2), holds ? at : -1);
  }
}

/** The first posting from `low` on whose document is not before `place`: in growing steps, then by halves. */
function seek(docs: usize, count: i32, place: u32, low: i32): i32 {
  let step = 1;
  let high = low;
  while (high < count && <u32>load<u16>(docs + ((<usize>high) << 1)) < place) {
    low = high + 1;
    high += step;
    step <<= 1;
  }
  if (high > count) high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (<u32>load<u16>(docs + ((<usize>middle) << 1)) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
