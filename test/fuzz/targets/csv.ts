// CSV, and streams whose format is guessed.

import { gzipSync } from "node:zlib";
import { requireSameInPieces } from "../contract/same-in-pieces.ts";
import type { Target } from "../contract/target.ts";

export const target: Target = {
  name: "csv",
  seeds: () => [
    'id,title,text,year\n1,a,"two, ""quoted""\nlines",1933\r\n2,,plain,007\n',
    "id;text\n1;a;b\n2\n",
    "\ufeffid\ttext\n\n1\twater\n",
    new Uint8Array(gzipSync("id,text\n1,water\n")),
  ],
  async run(bytes) {
    await requireSameInPieces(bytes, { format: "csv" });
    await requireSameInPieces(bytes, { format: "csv", delimiter: ";", id: "text" });
    await requireSameInPieces(bytes, {});
  },
};
