// A Parquet file.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readParquet } from "../../../src/read/records/parquet.ts";
import { newFolder } from "../contract/fixture.ts";
import { type Target, WrongAnswer } from "../contract/target.ts";

const folder = newFolder();
const path = join(folder, "any.parquet");

async function written(codec: "UNCOMPRESSED" | "SNAPPY"): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  return new Uint8Array(
    parquetWriteBuffer({
      codec,
      columnData: [
        { name: "id", data: ["a", "b", "c"], type: "STRING" },
        { name: "text", data: ["water", "gate", "water"], type: "STRING" },
        { name: "year", data: [1n, 2n, 3n], type: "INT64" },
        { name: "score", data: [0.5, 1, 2], type: "DOUBLE" },
      ],
    }),
  );
}

export const target: Target = {
  name: "parquet",
  seeds: async () => [await written("UNCOMPRESSED"), await written("SNAPPY")],
  async run(bytes) {
    writeFileSync(path, bytes);
    for await (const { id } of readParquet(path))
      if (typeof id !== "string") throw new WrongAnswer(`an id is ${typeof id}`);
  },
  close: () => rmSync(folder, { recursive: true, force: true }),
};
