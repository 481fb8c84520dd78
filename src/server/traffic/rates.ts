// How many requests a key, or an address, may send in a time. Each has a bucket of tokens: a request takes one, and tokens come
// back at an even pace. A full bucket allows a burst.

import { SluiceError } from "../../index.ts";
import { HttpError } from "../wire/http-errors.ts";

export interface RateOptions {
  /** Requests of one key, such as "50/s", "600/m" or "10000/h"; without a limit by default. */
  readonly perKey?: string | undefined;
  /** Requests of one address, or of one IPv6 network (/64), written alike; without a limit by default. */
  readonly perAddress?: string | undefined;
}

interface Rate {
  /** How many tokens a bucket holds. */
  readonly burst: number;
  /** Tokens that come back in a millisecond. */
  readonly perMs: number;
}

interface Bucket {
  tokens: number;
  /** When the tokens were counted. */
  at: number;
}

/**
 * The most buckets of one kind. When there are more, the least recently used bucket is dropped, and its owner gets a full one.
 */
const MOST_BUCKETS = 10_000;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** The rate in a text such as "50/s". */
function rateOf(text: string, what: string): Rate {
  const [, digits = "", unit = ""] = /^(\d{1,9})\/([smh])$/.exec(text) ?? [];
  const burst = Number(digits);
  if (burst >= 1) return { burst, perMs: burst / UNITS[unit] };
  throw new SluiceError(
    `${what} is ${JSON.stringify(text)}, expected a number of requests in a time`,
    "write 50/s, 600/m or 10000/h",
  );
}

/** The buckets of all keys, or of all addresses. */
export class RateLimit {
  readonly #rate: Rate;
  readonly #clock: () => number;
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(text: string, what: string, clock: () => number = () => performance.now()) {
    this.#rate = rateOf(text, what);
    this.#clock = clock;
  }

  /** How many buckets are kept. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes a token. Returns headers that say what is left; throws 429 if nothing is. */
  take(who: string): Readonly<Record<string, string>> {
    const { burst, perMs } = this.#rate;
    const now = this.#clock();
    const bucket = this.#buckets.get(who) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * perMs);
    const isEnough = tokens >= 1;
    bucket.tokens = isEnough ? tokens - 1 : tokens;
    bucket.at = now;
    this.#keep(who, bucket);
    const headers = {
      "RateLimit-Limit": String(burst),
      "RateLimit-Remaining": String(Math.floor(bucket.tokens)),
      "RateLimit-Reset": String(Math.ceil((burst - bucket.tokens) / perMs / 1000)),
    };
    if (isEnough) return headers;
    const wait = Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));
    throw new HttpError(429, "too_many_requests", "too many requests in this time", {
      hint: `send the next one in ${wait} s`,
      headers: { ...headers, "Retry-After": String(wait) },
    });
  }

  #keep(who: string, bucket: Bucket): void {
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > MOST_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value!);
  }
}

/** The limits of a server, by what they count. */
export class RateLimits {
  readonly perKey: RateLimit | undefined;
  readonly perAddress: RateLimit | undefined;

  constructor({ perKey, perAddress }: RateOptions = {}) {
    this.perKey = perKey === undefined ? undefined : new RateLimit(perKey, "the rate of a key");
    this.perAddress =
      perAddress === undefined ? undefined : new RateLimit(perAddress, "the rate of an address");
  }
}
