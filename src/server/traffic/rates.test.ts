// Rates: a bucket is exact, memory is bounded, and a server refuses by key and by address.

import fc from "fast-check";
import { expect, test } from "vitest";
import { started, THINGS } from "../../../test/helpers/server.ts";
import { SluiceError } from "../../index.ts";
import { networkOf } from "../access/addresses.ts";
import type { HttpError } from "../wire/http-errors.ts";
import { RateLimit, RateLimits } from "./rates.ts";

const isTaken = (limit: RateLimit, who = "a") => {
  try {
    limit.take(who);
    return true;
  } catch {
    return false;
  }
};

test("in any time, no more than a burst and what came back are taken; one who waits as told is let in", () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), pauses, (burst, waits) => {
      let now = 0;
      const limit = new RateLimit(`${burst}/s`, "it", () => now);
      const taken: number[] = [];
      for (const wait of waits) {
        now += wait;
        if (isTaken(limit)) taken.push(now);
      }
      for (const [i, from] of taken.entries()) {
        for (const [j, to] of taken.entries())
          if (j >= i) expect(j - i + 1).toBeLessThanOrEqual(burst + ((to - from) * burst) / 1000 + 1e-6);
      }
      while (isTaken(limit));
      let error: HttpError | undefined;
      try {
        limit.take("a");
      } catch (thrown) {
        error = thrown as HttpError;
      }
      now += 1000 * Number(error!.headers["Retry-After"]);
      expect(isTaken(limit)).toBe(true);
    }),
  );
});

test("headers say what is left", () => {
  let now = 0;
  const limit = new RateLimit("2/m", "it", () => now);
  const left = (remaining: string, reset: string) => ({
    "RateLimit-Limit": "2",
    "RateLimit-Remaining": remaining,
    "RateLimit-Reset": reset,
  });
  expect(limit.take("a")).toEqual(left("1", "30"));
  now = 15_000;
  expect(limit.take("a")).toEqual(left("0", "45"));
  expect(() => limit.take("a")).toThrow("too many requests");
  expect(limit.take("b")).toEqual(left("1", "30"));
});

test("memory is bounded, and those who ask often are remembered", () => {
  const limit = new RateLimit("1/h", "it", () => 0);
  expect(isTaken(limit, "often")).toBe(true);
  for (let i = 0; i < 30_000; i++) {
    limit.take(`once ${i}`);
    if (i % 5000 === 0) expect(isTaken(limit, "often")).toBe(false);
  }
  expect(limit.size).toBe(10_000);
  expect(isTaken(limit, "often")).toBe(false);
});

test("rates that cannot be meant are refused", () => {
  for (const text of ["", "50", "0/s", "-1/s", "1.5/s", "50/d", "50 / s", "many/s"]) {
    expect(() => new RateLimits({ perKey: text })).toThrow(SluiceError);
    expect(() => new RateLimits({ perAddress: text })).toThrow("the rate of an address");
  }
});

test("an IPv6 network counts as one, an IPv4 address by itself", () => {
  expect(networkOf("10.0.0.1")).toBe("10.0.0.1");
  const same = ["2001:db8::1", "2001:0DB8:0:0:ffff::", "2001:db8:0:0:1:2:3:4", "2001:db8::%eth0"];
  expect(new Set(same.map(networkOf))).toEqual(new Set(["2001:db8:0:0::/64"]));
  expect(networkOf("2001:db8:0:1::1")).not.toBe(networkOf("2001:db8::1"));
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
});

const KEYS = ["first-key-0123456789", "second-key-0123456789"];
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test("each key has a rate of its own, and the answer says so", async () => {
  const server = await started({ keys: { read: KEYS }, rates: { perKey: "3/h" } });
  const ask = (key: string) => server.send("GET", THINGS, undefined, bearer(key));
  for (const left of ["2", "1", "0"]) {
    const { status, headers } = await ask(KEYS[0]);
    expect([status, headers.get("ratelimit-limit"), headers.get("ratelimit-remaining")]).toEqual([
      200,
      "3",
      left,
    ]);
  }
  const refused = await ask(KEYS[0]);
  expect([refused.status, refused.body.error.code]).toEqual([429, "too_many_requests"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(1000);
  expect(refused.headers.get("ratelimit-remaining")).toBe("0");
  expect((await ask(KEYS[1])).status).toBe(200);
  for (const path of ["/health", "/ready"]) expect((await server.send("GET", path)).status).toBe(200);
  await server.end();
});

test("each address has a rate of its own, which limits guesses of keys; X-Forwarded-For counts only behind a proxy", async () => {
  const guess = (server: Awaited<ReturnType<typeof started>>, from?: string) =>
    server
      .send("GET", THINGS, undefined, {
        ...bearer("a-wrong-key-0123456789"),
        ...(from && { "x-forwarded-for": from }),
      })
      .then(({ status }) => status);
  const options = { keys: { read: KEYS }, rates: { perAddress: "2/h" } };
  const direct = await started(options);
  expect([
    await guess(direct, "1.1.1.1"),
    await guess(direct, "2.2.2.2"),
    await guess(direct, "3.3.3.3"),
  ]).toEqual([401, 401, 429]);
  const metrics = await direct.send("GET", "/metrics", undefined, bearer("a-wrong-key-0123456789"));
  expect([metrics.status, metrics.body.error.code]).toEqual([429, "too_many_requests"]);
  const ready = await direct.send("GET", "/ready", undefined, bearer(KEYS[0]));
  expect([ready.status, ready.body.indexes]).toEqual([200, {}]); // the key was not looked at
  await direct.end();
  const behind = await started({ ...options, trustProxy: true });
  // A client can write what it likes before what the proxy adds.
  const froms = ["1.1.1.1", "9.9.9.9, 1.1.1.1", "8.8.8.8, 1.1.1.1", "2.2.2.2", "not an address", undefined];
  const statuses: number[] = [];
  for (const from of froms) statuses.push(await guess(behind, from));
  expect(statuses).toEqual([401, 401, 429, 401, 401, 401]);
  expect(await guess(behind)).toBe(429);
  await behind.end();
});
