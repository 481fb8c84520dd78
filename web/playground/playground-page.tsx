// The playground: try the settings of the paper's two-stage search. It shows which words of the query the first stage uses,
// how the ranking differs from the exact one, and how much time is saved.

import type { ExplainQueryAnswer, SearchAnswer } from "../../src/schemas/index.ts";
import { useAddress } from "../address/use-address.ts";
import { explainQuery, search } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ResultSheet } from "../document/result-sheet.tsx";
import { QueriesToTry, useExamples } from "../search/queries-to-try.tsx";
import { SearchBox } from "../search/search-box.tsx";
import { Failure, Notices } from "../shell/states.tsx";
import { Knobs } from "./knobs.tsx";
import { Rankings } from "./rankings.tsx";
import { heaviestOf, planOf, type Settings, settingsOf } from "./settings.ts";
import { TermWeights } from "./term-weights.tsx";
import { Tradeoff } from "./tradeoff.tsx";

const K = 10;

interface PlaygroundQuery {
  readonly index: string;
  readonly query: string;
  readonly lambda: number | undefined;
}

interface Beside extends PlaygroundQuery {
  readonly beside: string;
  readonly settings: Settings;
}

interface Pair {
  readonly planned: ExplainQueryAnswer;
  readonly pruned: SearchAnswer;
}

const lambdaOf = ({ lambda }: PlaygroundQuery) => (lambda === undefined ? {} : { lambda });

/** Asks for the weights of the whole query, without a plan: the knobs choose among them. */
const askWeights = (asked: PlaygroundQuery, signal: AbortSignal) =>
  explainQuery(asked.index, { query: asked.query, ...lambdaOf(asked) }, signal);

const askExact = (asked: PlaygroundQuery, signal: AbortSignal) =>
  search(asked.index, { query: asked.query, k: K, plan: { kind: "exact" }, ...lambdaOf(asked) }, signal);

async function askPruned(asked: Beside, signal: AbortSignal): Promise<Pair> {
  const request = { query: asked.query, plan: planOf(asked.settings), ...lambdaOf(asked) };
  const [planned, pruned] = await Promise.all([
    explainQuery(asked.beside, request, signal),
    search(asked.beside, { ...request, k: K }, signal),
  ]);
  return { planned, pruned };
}

export function PlaygroundPage({ index }: { readonly index: string }) {
  const [address] = useAddress();
  const { query, lambda, beside = index } = address;
  const asked = query.trim() === "" ? undefined : { index, query, lambda };
  const weights = useAnswer(asked && { ...asked, index: beside }, askWeights);
  const heaviest = heaviestOf(weights.answer?.terms ?? []);
  const settings = settingsOf(address, weights.answer?.terms ?? []);
  const isKnown = weights.answer !== undefined && weights.request?.query === query;
  const exact = useAnswer(asked, askExact);
  const pair = useAnswer(asked && isKnown ? { ...asked, beside, settings } : undefined, askPruned);
  const error = weights.error ?? exact.error ?? pair.error;
  return (
    <div class="playground">
      <h1>Playground</h1>
      <p class="lead">
        A search can look at the heavy part of a query first, keep some candidates, and score only those
        exactly. Turn the knobs and see what falls out, what moves, and what time it takes.
      </p>
      <SearchBox index={index} />
      {error && <Failure error={error} />}
      {asked && <Notices notices={weights.answer?.notices} />}
      {asked && weights.answer && (
        <div class="bench">
          <Knobs index={index} settings={settings} weights={weights.answer} />
          <TermWeights
            planned={pair.answer?.planned ?? weights.answer}
            settings={settings}
            heaviest={heaviest}
          />
        </div>
      )}
      {asked && exact.answer && pair.answer && (
        <Rankings exact={exact.answer} pruned={pair.answer.pruned} same={beside === index} />
      )}
      {asked && isKnown && (
        <Tradeoff index={index} beside={beside} query={query} settings={settings} heaviest={heaviest} />
      )}
      <ResultSheet index={index} completes={false} lambda={lambda} />
      {!asked && <Start index={index} />}
    </div>
  );
}

/** What to do before the first query. */
function Start({ index }: { readonly index: string }) {
  return (
    <>
      <p class="quiet">Type a query of a few words: some of them will be heavier than others.</p>
      <QueriesToTry examples={useExamples(index)} />
    </>
  );
}
