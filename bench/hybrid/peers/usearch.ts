// USearch's exact search over all vectors: dense search only, on an array in memory.

import type { Adapter } from "../contract/engine.ts";

interface USearch {
  exactSearch(
    vectors: Float32Array,
    query: Float32Array,
    dims: number,
    k: number,
    metric: "ip",
    threads: number,
  ): { keys: BigUint64Array };
}

export const usearch: Adapter = {
  async open(corpus, { load }) {
    const { exactSearch } = load<USearch>("usearch");
    const vectors = await corpus.vectors();
    return {
      ways: [
        {
          kind: "dense",
          name: "exact",
          exact: true,
          forms: {
            f32: ({ vector }, k) =>
              Array.from(exactSearch(vectors, vector, corpus.dims, k, "ip", 1).keys, Number),
          },
        },
      ],
      close() {},
    };
  },
};
