// The exact ranking next to the ranking with these settings: which hits stayed, moved or disappeared.

import type { HitAnswer, SearchAnswer } from "../../src/schemas/index.ts";
import { Link } from "../shell/link.tsx";
import { headingOf } from "../text/heading.ts";
import { countText, millisecondsText, percentText, scoreText } from "../text/numbers.ts";
import { shortened } from "../text/shortened.ts";
import { visible } from "../text/visible.ts";
import { compare, type Placed } from "./compare.ts";

interface RankingsProps {
  readonly exact: SearchAnswer;
  readonly pruned: SearchAnswer;
  /** Whether both rankings come from the same index. */
  readonly areSame: boolean;
}

export function Rankings({ exact, pruned, areSame }: RankingsProps) {
  const { left, right, overlap } = compare(exact.hits, pruned.hits);
  const moved = right.filter(({ rank, other }) => other !== rank).length;
  return (
    <section class="rankings" aria-label="Rankings">
      <h2>What happens to the ranking</h2>
      <p role="status">
        Overlap@10 <strong class="number">{percentText(overlap)}</strong>
        <span class="quiet">
          {" "}
          · {moved === 0 ? "nothing moved" : `${moved} moved or new`}
          {areSame && pruned.stats.exact && " · certified to be the exact answer"}
        </span>
      </p>
      <div class="pair">
        <Ranking title="Exact" answer={exact} placed={left} missing="gone" />
        <Ranking title="With these knobs" answer={pruned} placed={right} missing="new" />
      </div>
    </section>
  );
}

interface RankingProps {
  readonly title: string;
  readonly answer: SearchAnswer;
  readonly placed: readonly Placed<HitAnswer>[];
  /** The label of a hit that is not in the other ranking. */
  readonly missing: "gone" | "new";
}

function Ranking({ title, answer: { stats, totalMs }, placed, missing }: RankingProps) {
  return (
    <div>
      <h3>{title}</h3>
      <p class="quiet">
        <span class="number">{millisecondsText(totalMs)}</span>, of it{" "}
        {millisecondsText(stats.firstStageMs + stats.secondStageMs)} searching · {countText(stats.scored)}{" "}
        scored exactly
      </p>
      <ol>
        {placed.map(({ hit, rank, other }) => (
          <li key={hit.id} class={other === undefined ? missing : ""}>
            <span class="rank">{rank}</span>
            <Link change={{ explain: hit.id }}>
              <bdi>{visible(shortened(headingOf(hit.id, hit.document)))}</bdi>
            </Link>
            <Move rank={rank} other={other} missing={missing} />
            <span class="number">{scoreText(hit.score)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Shown once, in the ranking that changed. */
function Move({
  rank,
  other,
  missing,
}: {
  rank: number;
  other: number | undefined;
  missing: "gone" | "new";
}) {
  if (other === undefined) return <span class="move">{missing}</span>;
  if (other === rank || missing === "gone") return <span class="move" />;
  const by = Math.abs(other - rank);
  const [arrow, word] = rank < other ? ["↑", "up"] : ["↓", "down"];
  return (
    <span class="move">
      <span aria-hidden="true">
        {arrow}
        {by}
      </span>
      <span class="for-ears">
        {word} {by}
      </span>
    </span>
  );
}
