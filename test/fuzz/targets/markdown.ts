// Markdown and plain text, cut into passages.

import { requireSameInPieces } from "../contract/same-in-pieces.ts";
import type { Target } from "../contract/target.ts";

export const target: Target = {
  name: "markdown",
  seeds: () => [
    "---\ntitle: Canals\ntags: [a, b]\nyear: 1933\n---\n# Locks\n\nText of *one* paragraph. Another sentence.\n\n## Gates\n- a\n- b\n",
    "Title\n=====\n\n```js\n# no heading\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n\n    code\n",
    "<!-- comment -->\n\n<div>\nhtml\n</div>\n\n1. one\n   two\n\n***\n",
  ],
  async run(bytes) {
    await requireSameInPieces(bytes, { format: "markdown", passages: { words: 8 } });
    await requireSameInPieces(bytes, { format: "text" });
  },
};
