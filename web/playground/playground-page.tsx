// The playground: try the settings of the paper's two-stage search. It shows which words of the query the first stage uses,
// how the ranking differs from the exact one, and how much time is saved.

import type { ExplainQueryAnswer, SearchAnswer } from "../../src/schemas/index.ts";
import { type AskedQuery, askedQuery } from "../address/asked-query.ts";
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
  readonly asked: AskedQuery;
}

interface Beside extends PlaygroundQuery {
  readonly beside: string;
  readonly settings: Settings;
}

interface Pair {
  readonly planned: ExplainQueryAnswer;
  readonly pruned: SearchAnswer;
}

/** Asks for the weights of the whole query, without a plan: the knobs choose among them. */
const askWeights = ({ index, asked }: PlaygroundQuery, signal: AbortSignal) =>
  explainQuery(index, asked, signal);

const askExact = ({ index, asked }: PlaygroundQuery, signal: AbortSignal) =>
  search(index, { ...asked, k: K, plan: { kind: "exact" } }, signal);

async function askPruned({ asked, beside, settings }: Beside, signal: AbortSignal): Promise<Pair> {
  const request = { ...asked, plan: planOf(settings) };
  const [planned, pruned] = await Promise.all([
    explainQuery(beside, request, signal),
    search(beside, { ...request, k: K }, signal),
  ]);
  return { planned, pruned };
}

export function PlaygroundPage({ index }: { readonly index: string }) {
  const [address] = useAddress();
  const { query, lambda, beside = index } = address;
  const asked = askedQuery(address, { completes: false, lambda });
  const wantedQuery = query.trim() === "" ? undefined : { index, asked };
  const weights = useAnswer(wantedQuery && { ...wantedQuery, index: beside }, askWeights);
  const heaviest = heaviestOf(weights.answer?.terms ?? []);
  const settings = settingsOf(address, weights.answer?.terms ?? []);
  const isKnown = weights.answer !== undefined && weights.request?.asked.query === query;
  const exact = useAnswer(wantedQuery, askExact);
  const pair = useAnswer(
    wantedQuery && isKnown ? { ...wantedQuery, beside, settings } : undefined,
    askPruned,
  );
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
      {wantedQuery && <Notices notices={weights.answer?.notices} />}
      {wantedQuery && weights.answer && (
        <div class="bench">
          <Knobs index={index} settings={settings} weights={weights.answer} />
          <TermWeights
            planned={pair.answer?.planned ?? weights.answer}
            settings={settings}
            heaviest={heaviest}
          />
        </div>
      )}
      {wantedQuery && exact.answer && pair.answer && (
        <Rankings exact={exact.answer} pruned={pair.answer.pruned} areSame={beside === index} />
      )}
      {wantedQuery && isKnown && (
        <Tradeoff index={index} beside={beside} asked={asked} settings={settings} heaviest={heaviest} />
      )}
      <ResultSheet index={index} completes={false} lambda={lambda} />
      {!wantedQuery && <Start index={index} />}
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
