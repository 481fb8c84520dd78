// Documents as JSON: an array of objects, or one object after another.

import { requireSameInPieces } from "../contract/same-in-pieces.ts";
import type { Target } from "../contract/target.ts";

export const target: Target = {
  name: "json",
  form: "json",
  seeds: () => [
    '[{"id":"1","text":"a \\"b\\" {"},{"_id":2,"contents":"x","nested":{"a":[1,[2]]}}]',
    '{"id":"1"}\n{"id":\n"2","title":"\\\\"} {"id":"3"}',
    '{"documents": [{"id":"1","text":"a"}, {"id":"2","text":"b"}]}',
    " [ ] ",
  ],
  run: (bytes) => requireSameInPieces(bytes, { format: "json" }),
};
