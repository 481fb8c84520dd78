// Protects against other sites in a user's browser. Every response gets security headers; a request with a foreign Host or
// Origin is refused.

import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { HttpError } from "../wire/http-errors.ts";
import { requestIdOf } from "../wire/request-ids.ts";
import { errorResponse } from "../wire/responses.ts";

const CONTENT_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": CONTENT_POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
};

export interface GuardOptions {
  /** Origins of other sites whose pages may use the server; none by default. */
  readonly cors?: readonly string[] | undefined;
  /**
   * Host names that requests may use, without the port; any by default. `serve` without keys allows only this machine's
   * own names, which stops DNS rebinding: a site that points its name at this machine is refused.
   */
  readonly hosts?: readonly string[] | undefined;
}

/** Other headers that pages of other origins may read. */
const EXPOSED = ["X-Request-Id", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];

/** Checks every request. `onRefused` is told of those that are refused. */
export function guard(
  { cors: given = [], hosts }: GuardOptions,
  onRefused: (c: Context, error: HttpError) => Promise<void>,
): MiddlewareHandler[] {
  const origins = given.map(checkedOrigin);
  const refuse = async (c: Context, error: HttpError) => {
    await onRefused(c, error);
    return errorResponse(error, requestIdOf(c));
  };
  const headers: MiddlewareHandler = async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
    if (origins.length === 0) c.res.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  };
  const strangers: MiddlewareHandler = async (c, next) => {
    // A browser always sends a Host. Load balancers that speak HTTP/1.0 send none.
    if (hosts && c.req.header("host") !== undefined && !hosts.includes(hostOf(c))) {
      const hint =
        "use the address that the server prints; without keys, it takes only names of its own machine";
      return refuse(c, new HttpError(403, "wrong_host", "the server does not accept this Host", { hint }));
    }
    const origin = c.req.header("origin");
    const isOwn = origin === undefined || origin.replace(/^https?:\/\//, "") === c.req.header("host");
    if (!isOwn && !origins.includes(origin)) {
      const hint = "its operator can allow the origin, by the option cors";
      return refuse(
        c,
        new HttpError(403, "wrong_origin", "pages of this origin may not use the server", { hint }),
      );
    }
    return next();
  };
  const shared = cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    allowHeaders: ["Authorization", "Content-Type", "Content-Encoding", "X-Request-Id", "traceparent"],
    exposeHeaders: EXPOSED,
    maxAge: 600,
  });
  return origins.length > 0 ? [headers, strangers, shared] : [headers, strangers];
}

/** The origin as browsers send it: in lower case, without a slash at its end. */
function checkedOrigin(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  throw new SluiceError(
    `cors: ${JSON.stringify(given)} is not an origin`,
    "write the beginning of the page's address, such as https://example.com",
  );
}

function hostOf(c: Context): string {
  return (c.req.header("host") ?? "").replace(/:\d+$/, "").toLowerCase();
}
