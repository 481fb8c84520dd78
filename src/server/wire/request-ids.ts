// Every request has an id, so that an answer, the lines of the logs and what a client saw can be put together. A client, or a
// proxy, may bring its own.

import { randomUUID } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";

const HEADER = "X-Request-Id";
/** Ids that are taken from a client: short, and without a character that a log or a terminal could trip over. */
const SANE = /^[\w.:-]{1,64}$/;

/** Gives the request its id, and the answer the same. */
export const giveRequestId: MiddlewareHandler = async (c, next) => {
  const id = requestIdOf(c);
  await next();
  c.res.headers.set(HEADER, id);
};

export function requestIdOf(c: Context): string {
  const known = c.get("requestId") as string | undefined;
  if (known !== undefined) return known;
  const given = c.req.header(HEADER) ?? "";
  const id = SANE.test(given) ? given : randomUUID();
  c.set("requestId", id);
  return id;
}
