// Posting lists of gaps → sums by document: what segment/lexical/gap-lists.ts defines. A posting of value 0 stands where a gap was
// too large for its bits; it is added like any other, so the loops have no branches. A list that ends outside of its window
// is found out, and nothing outside of the sums is written.

/** The most lanes by which so many postings of 4 or 8 bits move on. */
const NIBBLES_AT_ONCE: i32 = 8;
const NIBBLES_MOVE: usize = 8 * 16 * 4;
const BYTES_AT_ONCE: i32 = 4;
const BYTES_MOVE: usize = 4 * 256 * 4;

/** acc[lane] += weight · code, int32, for every posting of a list. Returns whether the list is one that a writer writes. */
export function addGapList(list: usize, end: usize, docs: u32, weight: i32, acc: usize): bool {
  if (list >= end) return false;
  const bits = <i32>load<u8>(list);
  const gaps = list + 1;
  const bytes = <i32>(end - gaps);
  const count =
    bits === 4 ? <i32>((<u64>bytes * 2) / 3) : bits === 8 ? bytes >> 1 : bits === 16 ? bytes / 3 : 0;
  const codes = end - <usize>count;
  if (count === 0 || gaps + <usize>((<u64>count * bits + 7) >> 3) !== codes) return false;
  if (bits === 4) return addNibbles(gaps, codes, count, docs, weight, acc);
  if (bits === 8) return addBytes(gaps, codes, count, docs, weight, acc);
  return addRest(gaps, codes, 0, count, 16, docs, weight, acc, acc);
}

function addNibbles(gaps: usize, codes: usize, count: i32, docs: u32, weight: i32, acc: usize): bool {
  const last = acc + ((<usize>docs) << 2);
  let at = acc;
  let i = 0;
  for (; i + NIBBLES_AT_ONCE <= count && at + NIBBLES_MOVE <= last; i += NIBBLES_AT_ONCE) {
    const g = load<u32>(gaps + <usize>(i >> 1));
    const c = load<u64>(codes + <usize>i);
    at = add(at + <usize>((g << 2) & 0x3c), <i32>(c & 0xff), weight);
    at = add(at + <usize>((g >> 2) & 0x3c), <i32>((c >> 8) & 0xff), weight);
    at = add(at + <usize>((g >> 6) & 0x3c), <i32>((c >> 16) & 0xff), weight);
    at = add(at + <usize>((g >> 10) & 0x3c), <i32>((c >> 24) & 0xff), weight);
    at = add(at + <usize>((g >> 14) & 0x3c), <i32>((c >> 32) & 0xff), weight);
    at = add(at + <usize>((g >> 18) & 0x3c), <i32>((c >> 40) & 0xff), weight);
    at = add(at + <usize>((g >> 22) & 0x3c), <i32>((c >> 48) & 0xff), weight);
    at = add(at + <usize>((g >> 26) & 0x3c), <i32>(c >> 56), weight);
  }
  return addRest(gaps, codes, i, count, 4, docs, weight, acc, at);
}

function addBytes(gaps: usize, codes: usize, count: i32, docs: u32, weight: i32, acc: usize): bool {
  const last = acc + ((<usize>docs) << 2);
  let at = acc;
  let i = 0;
  for (; i + BYTES_AT_ONCE <= count && at + BYTES_MOVE <= last; i += BYTES_AT_ONCE) {
    const g = load<u32>(gaps + <usize>i);
    const c = load<u32>(codes + <usize>i);
    at = add(at + <usize>((g & 0xff) << 2), <i32>(c & 0xff), weight);
    at = add(at + <usize>((g >> 6) & 0x3fc), <i32>((c >> 8) & 0xff), weight);
    at = add(at + <usize>((g >> 14) & 0x3fc), <i32>((c >> 16) & 0xff), weight);
    at = add(at + <usize>((g >> 22) & 0x3fc), <i32>(c >> 24), weight);
  }
  return addRest(gaps, codes, i, count, 8, docs, weight, acc, at);
}

/** The postings from number `i` on, one by one, each checked. `at` is the sum of the next free lane. */
function addRest(
  gaps: usize,
  codes: usize,
  i: i32,
  count: i32,
  bits: i32,
  docs: u32,
  weight: i32,
  acc: usize,
  at: usize,
): bool {
  let lane = <u32>((at - acc) >> 2);
  for (; i < count; i++) {
    if (bits === 4) lane += (<u32>load<u8>(gaps + <usize>(i >> 1)) >> (4 * (i & 1))) & 15;
    else if (bits === 8) lane += <u32>load<u8>(gaps + <usize>i);
    else lane += <u32>load<u16>(gaps + ((<usize>i) << 1));
    if (lane >= docs) return false;
    add(acc + ((<usize>lane) << 2), <i32>load<u8>(codes + <usize>i), weight);
    lane++;
  }
  return true;
}

/** Adds to one sum, and returns the address of the next. */
function add(sum: usize, code: i32, weight: i32): usize {
  store<i32>(sum, load<i32>(sum) + code * weight);
  return sum + 4;
}
