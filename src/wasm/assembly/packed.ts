// Packed posting lists → lanes and values: what segment/lexical/posting-blocks.ts and packed-postings.ts do in TypeScript, for
// loading a segment.

/** Postings of a block. */
const BLOCK: i32 = 128;
/** What a head has for each code of ranks, and the largest code. */
const RANK_UNIT: u32 = 17;
const MOST_RANK_CODE: u32 = 14;
/** The largest number in unary. */
const MOST_HIGH: u32 = 4095;

/**
 * Unpacks `cells` lists, one after another. `cellStarts` has their first positions, and once more the end: u32. Stores the largest
 * value of each list in `tops`, u16. Returns the address after the last list; 0 if no writer writes one of them. The other
 * parameters are those of `unpackList`; lanes and values begin with the first list.
 */
export function unpackLists(
  list: usize,
  end: usize,
  cells: i32,
  cellStarts: usize,
  docs: u32,
  classes: usize,
  starts: usize,
  classValues: usize,
  lanes: usize,
  values: usize,
  tops: usize,
): usize {
  for (let cell = 0; cell < cells && list !== 0; cell++) {
    const count = load<u32>(cellStarts, 4) - load<u32>(cellStarts);
    list = unpackList(list, end, <i32>count, docs, classes, starts, classValues, lanes, values, tops);
    lanes += (<usize>count) << 1;
    values += (<usize>count) << 1;
    cellStarts += 4;
    tops += 2;
  }
  return list;
}

/**
 * Unpacks a list of `count` postings into u16 lanes below `docs` and u16 values. The list ends before `end`, and eight bytes more
 * can be read. `classes` is the class of each lane, or 0 if there is one class; `starts` and `classValues` are the values of
 * classes. Stores the largest value at `top`, and returns the address after the list; 0 if no writer writes such a list.
 */
function unpackList(
  list: usize,
  end: usize,
  count: i32,
  docs: u32,
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
    if (list >= end) return 0;
    const size = <u32>min(BLOCK, count - from);
    const head = <u32>load<u8>(list);
    const gapBits = head % RANK_UNIT;
    const rankCode = head / RANK_UNIT;
    if (rankCode > MOST_RANK_CODE) return 0;
    const rankBits = rankCode > 0 ? rankCode - 1 : 0;
    const low = list + 1;
    const gapMask: u32 = (1 << gapBits) - 1;
    const rankMask: u32 = (1 << rankBits) - 1;
    // Bits are counted from `low` on. `ones` has the bits 1 of the eight bytes at `word` that were not read yet.
    let number = size * (gapBits + rankBits);
    let base = number & ~7;
    let word = low + <usize>(base >>> 3);
    if (word >= end) return 0;
    let ones = load<u64>(word) & (~(<u64>0) << (<u64>(number & 7)));

    for (let i: u32 = 0, bit: u32 = 0; i < size; i++, bit += gapBits) {
      if (ones === 0) {
        do {
          word += 8;
          base += 64;
          if (word >= end) return 0;
          ones = load<u64>(word);
        } while (ones === 0);
        if (base + <u32>ctz(ones) - number > MOST_HIGH) return 0;
      }
      const one = base + <u32>ctz(ones);
      ones &= ones - 1;
      next += ((one - number) << gapBits) + ((load<u32>(low + <usize>(bit >>> 3)) >>> (bit & 7)) & gapMask);
      number = one + 1;
      if (next >= docs) return 0;
      store<u16>(lanes + ((<usize>i) << 1), <u16>next);
      next++;
    }

    for (let i: u32 = 0, bit: u32 = size * gapBits; i < size; i++, bit += rankBits) {
      let rank: u32 = 0;
      if (rankCode > 0) {
        if (ones === 0) {
          do {
            word += 8;
            base += 64;
            if (word >= end) return 0;
            ones = load<u64>(word);
          } while (ones === 0);
          if (base + <u32>ctz(ones) - number > MOST_HIGH) return 0;
        }
        const one = base + <u32>ctz(ones);
        ones &= ones - 1;
        rank =
          ((one - number) << rankBits) + ((load<u32>(low + <usize>(bit >>> 3)) >>> (bit & 7)) & rankMask);
        number = one + 1;
      }
      const own = classes === 0 ? 0 : <usize>load<u8>(classes + <usize>load<u16>(lanes + ((<usize>i) << 1)));
      const position = load<u32>(starts + (own << 2)) + rank;
      if (position >= load<u32>(starts + (own << 2) + 4)) return 0;
      const value = <u32>load<u16>(classValues + ((<usize>position) << 1));
      store<u16>(values + ((<usize>i) << 1), <u16>value);
      most = max(most, value);
    }
    lanes += (<usize>size) << 1;
    values += (<usize>size) << 1;
    list = low + <usize>((number + 7) >>> 3);
    if (list > end) return 0;
  }
  store<u16>(top, <u16>most);
  return list;
}
