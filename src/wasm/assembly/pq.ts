// Product quantization: a row is cut into parts, and the code of a part is the number of its nearest centroid. An index
// build finds the codes; a search sums one look-up for each part. segment/codes/code-shape.ts has the layout of the codes and
// the plain definition of each function here.

const GROUP: i32 = 16; // documents whose 4-bit codes are stored side by side: one register of bytes

/**
 * 4 bits a part: sums[doc] = scale · Σ tables[part][code] + bias. Tables are 16 × u8 a part. The largest entries of an
 * even part and of the odd part after it add up to at most 255, so a pair is added in bytes and all 256 pairs fit 16 bits.
 * `parts` is even and at most 512, `docs` a multiple of 16.
 *
 * Four quarters of the window are read side by side. One stream alone stalls at every page: 64 parts of 1 M documents
 * take 4.6 ms with one stream, 3.8 with two, 3.5 with four; merely reading the codes takes 3.1.
 */
export function scanNibbles(
  codes: usize,
  parts: i32,
  docs: i32,
  tables: usize,
  scale: f32,
  bias: f32,
  sums: usize,
): void {
  const nibble = i8x16.splat(15);
  const scales = f32x4.splat(scale);
  const biases = f32x4.splat(bias);
  const tablesEnd = tables + ((<usize>parts) << 4);
  const quarter = docs / (4 * GROUP);
  const apart = <usize>quarter * ((<usize>parts) << 3);
  const sumsApart = (<usize>quarter) << 6;
  let a = codes;
  let b = a + apart;
  let c = b + apart;
  let d = c + apart;
  for (let group = 0; group < quarter; group++) {
    let aEven = i16x8.splat(0);
    let aOdd = i16x8.splat(0);
    let bEven = i16x8.splat(0);
    let bOdd = i16x8.splat(0);
    let cEven = i16x8.splat(0);
    let cOdd = i16x8.splat(0);
    let dEven = i16x8.splat(0);
    let dOdd = i16x8.splat(0);
    for (let table = tables; table < tablesEnd; table += 32) {
      const first = v128.load(table);
      const second = v128.load(table, 16);
      const aPair = lookUpPair(v128.load(a), first, second, nibble);
      const bPair = lookUpPair(v128.load(b), first, second, nibble);
      const cPair = lookUpPair(v128.load(c), first, second, nibble);
      const dPair = lookUpPair(v128.load(d), first, second, nibble);
      // Sixteen bits at a time: `even` also collects 256 times `odd`, which `storeGroup` subtracts.
      aEven = i16x8.add(aEven, aPair);
      aOdd = i16x8.add(aOdd, i16x8.shr_u(aPair, 8));
      bEven = i16x8.add(bEven, bPair);
      bOdd = i16x8.add(bOdd, i16x8.shr_u(bPair, 8));
      cEven = i16x8.add(cEven, cPair);
      cOdd = i16x8.add(cOdd, i16x8.shr_u(cPair, 8));
      dEven = i16x8.add(dEven, dPair);
      dOdd = i16x8.add(dOdd, i16x8.shr_u(dPair, 8));
      a += 16;
      b += 16;
      c += 16;
      d += 16;
    }
    storeGroup(aEven, aOdd, scales, biases, sums);
    storeGroup(bEven, bOdd, scales, biases, sums + sumsApart);
    storeGroup(cEven, cOdd, scales, biases, sums + (sumsApart << 1));
    storeGroup(dEven, dOdd, scales, biases, sums + sumsApart * 3);
    sums += 64;
  }
  // Up to three groups are left, after the fourth quarter.
  sums += sumsApart * 3;
  for (let group = quarter * 4; group < docs / GROUP; group++) {
    let even = i16x8.splat(0);
    let odd = i16x8.splat(0);
    for (let table = tables; table < tablesEnd; table += 32) {
      const pair = lookUpPair(v128.load(d), v128.load(table), v128.load(table, 16), nibble);
      even = i16x8.add(even, pair);
      odd = i16x8.add(odd, i16x8.shr_u(pair, 8));
      d += 16;
    }
    storeGroup(even, odd, scales, biases, sums);
    sums += 64;
  }
}

/** What a pair of parts adds to the sums of sixteen documents. */
function lookUpPair(codes: v128, first: v128, second: v128, nibble: v128): v128 {
  return i8x16.add(
    i8x16.swizzle(first, v128.and(codes, nibble)),
    i8x16.swizzle(second, v128.and(i16x8.shr_u(codes, 4), nibble)),
  );
}

function storeGroup(mixed: v128, odd: v128, scales: v128, biases: v128, sums: usize): void {
  const even = i16x8.sub(mixed, i16x8.shl(odd, 8));
  const low = i16x8.shuffle(even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
  const high = i16x8.shuffle(even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
  v128.store(sums, weigh(i32x4.extend_low_i16x8_u(low), scales, biases));
  v128.store(sums, weigh(i32x4.extend_high_i16x8_u(low), scales, biases), 16);
  v128.store(sums, weigh(i32x4.extend_low_i16x8_u(high), scales, biases), 32);
  v128.store(sums, weigh(i32x4.extend_high_i16x8_u(high), scales, biases), 48);
}

function weigh(acc: v128, scales: v128, biases: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(acc), scales), biases);
}

/**
 * 8 bits a part: sums[doc] = Σ tables[part][code], 256 × f32 a part; `parts` is even. A look-up is two loads, and loads
 * are the limit. Tried, and within a tenth of this or slower: documents in groups of eight, tables in tiles that fit the
 * L1 cache, vector lanes filled one by one, and two quarters of the window at a time.
 */
export function scanBytes(codes: usize, parts: i32, docs: i32, tables: usize, sums: usize): void {
  for (let doc = 0; doc < docs; doc++) {
    let a: f32 = 0;
    let b: f32 = 0;
    let c: f32 = 0;
    let d: f32 = 0;
    let table = tables;
    let part = 0;
    for (; part + 4 <= parts; part += 4) {
      a += load<f32>(table + ((<usize>load<u8>(codes)) << 2));
      b += load<f32>(table + ((<usize>load<u8>(codes, 1)) << 2), 1024);
      c += load<f32>(table + ((<usize>load<u8>(codes, 2)) << 2), 2048);
      d += load<f32>(table + ((<usize>load<u8>(codes, 3)) << 2), 3072);
      codes += 4;
      table += 4096;
    }
    if (part < parts) {
      a += load<f32>(table + ((<usize>load<u8>(codes)) << 2));
      b += load<f32>(table + ((<usize>load<u8>(codes, 1)) << 2), 1024);
      codes += 2;
    }
    store<f32>(sums, a + b + (c + d));
    sums += 4;
  }
}

/**
 * codes[doc] = the centroid nearest to a document's part: the one with the largest x·c − ½‖c‖², the lower number of two
 * that are equally near. The entries of the part (columns u32, values f32) run from the first to the second number at
 * `bounds`; the next document's bounds are `stride` numbers further on. `codebook` has `count` centroids (a multiple of
 * 16) column by column, `halves` has −½‖c‖², and `nothing` is the code of a document without entries.
 */
export function nearestCentroids(
  bounds: usize,
  stride: i32,
  docs: i32,
  columns: usize,
  values: usize,
  codebook: usize,
  halves: usize,
  count: i32,
  nothing: i32,
  codes: usize,
): void {
  const bytes = (<usize>count) << 2;
  for (let doc = 0; doc < docs; doc++) {
    const from = (<usize>load<u32>(bounds)) << 2;
    const to = (<usize>load<u32>(bounds, 4)) << 2;
    bounds += (<usize>stride) << 2;
    if (from === to) {
      store<u8>(codes + <usize>doc, <u8>nothing);
      continue;
    }
    // Sixteen centroids are a block. Only the best block is remembered; its products are computed again at the end.
    let best = f32x4.splat(-Infinity);
    let blocks = i32x4.splat(0);
    let a = best;
    let b = best;
    let c = best;
    let d = best;
    for (let block: usize = 0; block < bytes; block += 64) {
      a = v128.load(halves + block);
      b = v128.load(halves + block, 16);
      c = v128.load(halves + block, 32);
      d = v128.load(halves + block, 48);
      for (let n = from; n < to; n += 4) {
        const x = v128.load32_splat(values + n);
        const row = codebook + <usize>load<u32>(columns + n) * bytes + block;
        a = f32x4.add(a, f32x4.mul(x, v128.load(row)));
        b = f32x4.add(b, f32x4.mul(x, v128.load(row, 16)));
        c = f32x4.add(c, f32x4.mul(x, v128.load(row, 32)));
        d = f32x4.add(d, f32x4.mul(x, v128.load(row, 48)));
      }
      const most = f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d));
      blocks = v128.bitselect(i32x4.splat(<i32>block), blocks, f32x4.gt(most, best));
      best = f32x4.pmax(best, most);
    }
    const largest = max(
      max(f32x4.extract_lane(best, 0), f32x4.extract_lane(best, 1)),
      max(f32x4.extract_lane(best, 2), f32x4.extract_lane(best, 3)),
    );
    const largests = f32x4.splat(largest);
    // Lanes of the register that do not hold the largest must not win: their block becomes −1, the highest unsigned number.
    const reached = v128.or(blocks, v128.not(f32x4.eq(best, largests)));
    const low = i32x4.min_u(reached, i32x4.shuffle(reached, reached, 2, 3, 0, 1));
    const block = <usize>(<u32>min(<u32>i32x4.extract_lane(low, 0), <u32>i32x4.extract_lane(low, 1)));
    if (block + 64 < bytes) {
      a = v128.load(halves + block);
      b = v128.load(halves + block, 16);
      c = v128.load(halves + block, 32);
      d = v128.load(halves + block, 48);
      for (let n = from; n < to; n += 4) {
        const x = v128.load32_splat(values + n);
        const row = codebook + <usize>load<u32>(columns + n) * bytes + block;
        a = f32x4.add(a, f32x4.mul(x, v128.load(row)));
        b = f32x4.add(b, f32x4.mul(x, v128.load(row, 16)));
        c = f32x4.add(c, f32x4.mul(x, v128.load(row, 32)));
        d = f32x4.add(d, f32x4.mul(x, v128.load(row, 48)));
      }
    }
    const matches =
      i32x4.bitmask(f32x4.eq(a, largests)) |
      (i32x4.bitmask(f32x4.eq(b, largests)) << 4) |
      (i32x4.bitmask(f32x4.eq(c, largests)) << 8) |
      (i32x4.bitmask(f32x4.eq(d, largests)) << 12);
    store<u8>(codes + <usize>doc, <u8>((<i32>block >> 2) + (ctz(matches) & 15)));
  }
}
