// Sends searches to a server and times them. An open load sends at a rate, whatever the answers do: requests come at random
// moments, as from many clients that know nothing of each other, and a time counts from the moment a request was due, so that a
// request that found no free connection has waited, too. A closed load sends the next request when an answer has come.

import { Agent, get, request } from "node:http";
import { mulberry32 } from "../../src/support/numbers/random.ts";

/**
 * One request: when it was due, in milliseconds since the load began, how long it took, and its status; 0 if there was no answer.
 */
export interface Sent {
  readonly dueMs: number;
  readonly ms: number;
  readonly status: number;
}

/** Seconds without an answer after which a request counts as failed. */
const TIMEOUT_S = 30;

/**
 * Requests that may wait for an answer at once. Above it the run ends: the machine is too busy for the load, and ever more requests
 * would wait, until memory is full.
 */
const MOST_WAITING = 50_000;

export class SearchLoad {
  readonly #url: string;
  readonly #bodies: readonly string[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #random = mulberry32(11);
  #next = 0;

  constructor(url: string, queries: readonly string[], key: string) {
    this.#url = url;
    this.#bodies = queries.map((query) => JSON.stringify({ query, k: 10 }));
    this.#headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  }

  /** Sends `rate` requests per second over so many connections. Resolves when all are answered. */
  async open(connections: number, rate: number, seconds: number): Promise<Sent[]> {
    const agent = await this.#connect(connections);
    const sent: Sent[] = [];
    const running = new Set<Promise<unknown>>();
    const start = performance.now();
    let due = 0;
    while (due < seconds * 1000) {
      const now = performance.now() - start;
      for (; due <= now && due < seconds * 1000; due += this.#gapMs(rate)) {
        const one = this.#send(agent, start, due).then((done) => {
          sent.push(done);
          running.delete(one);
        });
        running.add(one);
      }
      if (running.size > MOST_WAITING)
        throw new Error(
          `${running.size} requests wait for an answer: the machine is too busy for ${rate} per second`,
        );
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(running);
    agent.destroy();
    return sent;
  }

  /** Sends requests without a pause over so many connections. */
  async sendWithoutPause(connections: number, seconds: number): Promise<Sent[]> {
    const agent = await this.#connect(connections);
    const sent: Sent[] = [];
    const start = performance.now();
    const repeat = async () => {
      for (let now = 0; now < seconds * 1000; now = performance.now() - start)
        sent.push(await this.#send(agent, start, now));
    };
    await Promise.all(Array.from({ length: connections }, repeat));
    agent.destroy();
    return sent;
  }

  /** Opens the connections before the load begins: a busy server takes new ones slowly, one in each turn of its event loop. */
  async #connect(connections: number): Promise<Agent> {
    const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: "fifo" });
    const connect = () =>
      new Promise<void>((resolve, reject) => {
        const asking = get(new URL("/health", this.#url), { agent }, (response) => {
          response.resume().on("end", resolve);
        });
        asking.on("error", reject);
      });
    await Promise.all(Array.from({ length: connections }, connect));
    return agent;
  }

  /** Milliseconds until the next request is due: times between independent events are distributed exponentially. */
  #gapMs(rate: number): number {
    return (-Math.log(1 - this.#random()) * 1000) / rate;
  }

  #send(agent: Agent, start: number, dueMs: number): Promise<Sent> {
    const body = this.#bodies[this.#next++ % this.#bodies.length];
    return new Promise((resolve) => {
      const end = (status: number) => resolve({ dueMs, ms: performance.now() - start - dueMs, status });
      const sending = request(this.#url, {
        method: "POST",
        agent,
        timeout: TIMEOUT_S * 1000,
        headers: { ...this.#headers, "content-length": Buffer.byteLength(body) },
      });
      sending.on("response", (response) => {
        response.resume();
        response.on("end", () => end(response.statusCode!));
        response.on("error", () => end(0));
      });
      sending.on("timeout", () => sending.destroy(new Error("no answer")));
      sending.on("error", () => end(0));
      sending.end(body);
    });
  }
}
