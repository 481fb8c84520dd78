// A file of safetensors.

import { parseSafetensors, safetensorsHead } from "../../../src/lab/train/model/safetensors.ts";
import { bytesOfText, type Target, WrongAnswer } from "../contract/target.ts";

function file(header: object, numbers: Uint8Array): Uint8Array {
  const json = bytesOfText(JSON.stringify(header));
  const head = new Uint8Array(8);
  new DataView(head.buffer).setBigUint64(0, BigInt(json.length), true);
  return new Uint8Array([...head, ...json, ...numbers]);
}

const data = Float32Array.of(1, 2, 3, 4, 5, 6);

export const target: Target = {
  name: "safetensors",
  seeds: () => [
    new Uint8Array([
      ...safetensorsHead(new Map([["a.weight", { shape: [2, 3], data }]]), { format: "pt" }),
      ...new Uint8Array(data.buffer),
    ]),
    file(
      {
        half: { dtype: "F16", shape: [2], data_offsets: [0, 4] },
        brain: { dtype: "BF16", shape: [1], data_offsets: [4, 6] },
        ids: { dtype: "I64", shape: [1], data_offsets: [6, 14] },
      },
      new Uint8Array(14),
    ),
  ],
  run(bytes) {
    for (const [name, { shape, data }] of parseSafetensors(bytes, "a file")) {
      const size = shape.reduce((product, dim) => product * dim, 1);
      if (data.length !== size)
        throw new WrongAnswer(`${name} has ${data.length} numbers, its shape ${size}`);
    }
  },
};
