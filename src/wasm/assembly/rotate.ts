// Vectors → vectors times a square matrix. The rotation gives the first dimensions of the semantic part the largest share
// of the length. An index build rotates many vectors at a time, a search its query's one.

/**
 * out[v] = matrix · vectors[v], float32. `matrix` is width × width, stored by columns: column i is what dimension i of
 * a vector adds. `width` is a multiple of 16, `count` a multiple of 4.
 */
export function rotate(vectors: usize, count: i32, width: i32, matrix: usize, out: usize): void {
  const bytes = (<usize>width) << 2;
  for (let v = 0; v < count; v += 4) {
    for (let column: usize = 0; column < bytes; column += 32) {
      let a0 = f32x4.splat(0);
      let a1 = f32x4.splat(0);
      let b0 = f32x4.splat(0);
      let b1 = f32x4.splat(0);
      let c0 = f32x4.splat(0);
      let c1 = f32x4.splat(0);
      let d0 = f32x4.splat(0);
      let d1 = f32x4.splat(0);
      let weights = matrix + column;
      for (let i: usize = 0; i < bytes; i += 4) {
        const m0 = v128.load(weights);
        const m1 = v128.load(weights, 16);
        const a = v128.load32_splat(vectors + i);
        const b = v128.load32_splat(vectors + bytes + i);
        const c = v128.load32_splat(vectors + (bytes << 1) + i);
        const d = v128.load32_splat(vectors + bytes * 3 + i);
        a0 = f32x4.add(a0, f32x4.mul(m0, a));
        a1 = f32x4.add(a1, f32x4.mul(m1, a));
        b0 = f32x4.add(b0, f32x4.mul(m0, b));
        b1 = f32x4.add(b1, f32x4.mul(m1, b));
        c0 = f32x4.add(c0, f32x4.mul(m0, c));
        c1 = f32x4.add(c1, f32x4.mul(m1, c));
        d0 = f32x4.add(d0, f32x4.mul(m0, d));
        d1 = f32x4.add(d1, f32x4.mul(m1, d));
        weights += bytes;
      }
      v128.store(out + column, a0);
      v128.store(out + column, a1, 16);
      v128.store(out + bytes + column, b0);
      v128.store(out + bytes + column, b1, 16);
      v128.store(out + (bytes << 1) + column, c0);
      v128.store(out + (bytes << 1) + column, c1, 16);
      v128.store(out + bytes * 3 + column, d0);
      v128.store(out + bytes * 3 + column, d1, 16);
    }
    vectors += bytes << 2;
    out += bytes << 2;
  }
}

/** out = matrix · vector, for one vector. */
export function rotateOne(vector: usize, width: i32, matrix: usize, out: usize): void {
  const bytes = (<usize>width) << 2;
  for (let column: usize = 0; column < bytes; column += 64) {
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    let c = f32x4.splat(0);
    let d = f32x4.splat(0);
    let weights = matrix + column;
    for (let i: usize = 0; i < bytes; i += 4) {
      const x = v128.load32_splat(vector + i);
      a = f32x4.add(a, f32x4.mul(v128.load(weights), x));
      b = f32x4.add(b, f32x4.mul(v128.load(weights, 16), x));
      c = f32x4.add(c, f32x4.mul(v128.load(weights, 32), x));
      d = f32x4.add(d, f32x4.mul(v128.load(weights, 48), x));
      weights += bytes;
    }
    v128.store(out + column, a);
    v128.store(out + column, b, 16);
    v128.store(out + column, c, 32);
    v128.store(out + column, d, 48);
  }
}
