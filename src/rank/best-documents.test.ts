import { expect, test } from "vitest";
import { mulberry32 } from "../support/numbers/random.ts";
import { BestDocuments, type ScoredDoc } from "./best-documents.ts";

test("the k best, as sorting would have them, ties by number; looking at them changes nothing", () => {
  const random = mulberry32(11);
  for (const k of [0, 1, 2, 7, 100]) {
    const best = new BestDocuments(k);
    const all: ScoredDoc[] = [];
    for (let doc = 0; doc < 300; doc++) {
      const entry = { doc: (doc * 7) % 300, score: Math.floor(40 * random()), lexical: 0, semantic: 0 };
      best.add(entry);
      all.push(entry);
      all.sort((a, b) => b.score - a.score || a.doc - b.doc);
      if (doc % 29 !== 0) continue;
      expect(best.ranked()).toEqual(all.slice(0, k));
      expect(best.ranked()).toEqual(all.slice(0, k));
      expect(best.spareCapacity).toBe(Math.max(0, k - all.length));
      if (k > 0) expect(best.threshold).toBe(all.length < k ? Number.NEGATIVE_INFINITY : all[k - 1].score);
    }
  }
});
