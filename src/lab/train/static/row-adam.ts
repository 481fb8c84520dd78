// Adam for a table of rows. Only the rows that a batch touched are moved, which saves most of the work.

const [FIRST_DECAY, SECOND_DECAY, EPSILON] = [0.9, 0.99, 1e-8];

export class RowAdam {
  readonly #means: Float32Array;
  readonly #squares: Float32Array;
  readonly #dims: number;
  #step = 0;

  constructor(rows: number, dims: number) {
    this.#means = new Float32Array(rows * dims);
    this.#squares = new Float32Array(rows * dims);
    this.#dims = dims;
  }

  /** Moves the touched rows against their gradients, and sets gradients and marks back to 0. */
  update(table: Float32Array, gradients: Float32Array, isTouched: Uint8Array, rate: number): void {
    this.#step++;
    const [means, squares, dims] = [this.#means, this.#squares, this.#dims];
    const stepSize = rate / (1 - FIRST_DECAY ** this.#step);
    const correction = 1 / (1 - SECOND_DECAY ** this.#step);
    for (let row = 0; row < isTouched.length; row++) {
      if (isTouched[row] === 0) continue;
      isTouched[row] = 0;
      for (let i = row * dims; i < (row + 1) * dims; i++) {
        const gradient = gradients[i];
        means[i] += (1 - FIRST_DECAY) * (gradient - means[i]);
        squares[i] += (1 - SECOND_DECAY) * (gradient * gradient - squares[i]);
        table[i] -= (stepSize * means[i]) / (Math.sqrt(squares[i] * correction) + EPSILON);
        gradients[i] = 0;
      }
    }
  }
}
