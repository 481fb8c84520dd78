// Measures one way of an engine to search: times and results, as protocol.ts describes.

import { CUTS, type Cut } from "../hybrid/measure.ts";
import { warmUp } from "../support/warm-up.ts";
import type { Way } from "./adapter.ts";
import type { Entries } from "./bags.ts";
import { type AskedWay, PASS_MS, PASSES, type Passes } from "./protocol.ts";

export async function measureWay(way: Way, queries: readonly Entries[]): Promise<AskedWay> {
  const at = {} as Record<Cut, Passes>;
  for (const k of CUTS) at[k] = await measure(way, queries, k);
  return { name: way.name, exact: way.exact, at };
}

async function measure(way: Way, queries: readonly Entries[], k: number): Promise<Passes> {
  let asks = queries.map((query) => way.prepare(query));
  let found: number[][] = [];

  const pass = async () => {
    const times: number[] = [];
    found = [];
    let sum = 0;
    for (const ask of asks) {
      if (sum > PASS_MS) break;
      const started = performance.now();
      const numbers = await ask(k);
      const ms = performance.now() - started;
      times.push(ms);
      sum += ms;
      found.push(numbers());
    }
    asks = asks.slice(0, times.length);
    return { times, mean: sum / times.length };
  };

  await asks[0](k); // compile and load before the first pass
  await warmUp(async () => (await pass()).mean);
  const times: number[][] = [];
  for (let i = 0; i < PASSES; i++) times.push((await pass()).times);
  // The first pass may have more queries than the later ones.
  return { times: times.map((all) => all.slice(0, asks.length)), found };
}
