// A score as a bar with two parts. All bars of a page have the same scale, so a longer bar is a higher score.

import { scoreText } from "../text/numbers.ts";

interface ScoreBarProps {
  readonly hit: { readonly score: number; readonly lexical: number; readonly semantic: number };
  /** The highest score on the page. */
  readonly most: number;
}

export function ScoreBar({ hit: { score, lexical, semantic }, most }: ScoreBarProps) {
  const share = (part: number) => `${most > 0 ? Math.max(0, Math.min(1, part / most)) * 100 : 0}%`;
  const parts = `Score ${scoreText(score)}: lexical ${scoreText(lexical)}, semantic ${scoreText(semantic)}`;
  return (
    <div class="score" role="img" aria-label={parts} title={parts}>
      <span class="bar">
        <span class="lexical" style={{ width: share(lexical) }} />
        <span class="semantic" style={{ width: share(semantic) }} />
      </span>
      <span class="number">{scoreText(score)}</span>
      {semantic !== 0 && (
        <span class="parts">
          {scoreText(lexical)} words {semantic < 0 ? "−" : "+"} {scoreText(Math.abs(semantic))} meaning
        </span>
      )}
    </div>
  );
}
