// Rewrites the parameters of an encoder so that it adds fewer biases and gives the same results.

import type { Tensors } from "../data/batch.ts";
import type { EncoderShape } from "../model/settings.ts";

/**
 * Sets the biases of keys and values to 0. A key's bias adds the same to all scores of a query, which the softmax does not
 * notice. The shares of values sum to 1, so a value's bias goes through the attention unchanged: the output's bias takes it.
 */
export function withoutKeyAndValueBiases(parameters: Tensors, { layers, width }: EncoderShape): Tensors {
  const folded = new Map(parameters);
  const zeros = { shape: [width], data: new Float32Array(width) };
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}.attention`;
    const value = parameters.get(`${at}.self.value.bias`)!.data;
    const output = parameters.get(`${at}.output.dense.weight`)!.data;
    const data = parameters.get(`${at}.output.dense.bias`)!.data.map((bias, row) => {
      const weights = output.subarray(row * width, (row + 1) * width);
      return weights.reduce((sum, weight, i) => sum + weight * value[i], bias);
    });
    folded.set(`${at}.self.key.bias`, zeros);
    folded.set(`${at}.self.value.bias`, zeros);
    folded.set(`${at}.output.dense.bias`, { shape: [width], data });
  }
  return folded;
}
