// Lines of JSON, or of an id, a tab and a text.

import { gzipSync } from "node:zlib";
import { requireSameInPieces } from "../contract/same-in-pieces.ts";
import type { Target } from "../contract/target.ts";

export const target: Target = {
  name: "jsonl",
  seeds: () => [
    '{"id":"1","text":"water"}\n\n{"_id":2,"title":"t","contents":"gate"}\r\n',
    "1\twater gate\n2\tlock\n",
    '{"docid":"1","body":"b","weights":{"a":1.5},"vector":[1,2]}',
    new Uint8Array(gzipSync('{"id":"1","text":"water"}\n')),
  ],
  run: (bytes) => requireSameInPieces(bytes, { format: "jsonl" }),
};
