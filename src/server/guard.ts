// What a browser must not be talked into: pages of other sites that reach for this server, and other things than pages in
// a page. Headers for every answer; requests of strangers are refused.

import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { HttpError } from "./http-errors.ts";
import { errorResponse } from "./responses.ts";

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
  /** Origins whose pages may use the server; none when left out. */
  readonly cors?: readonly string[];
  /**
   * Names under which the server is reached, without port; any when left out. A server without keys on this machine takes
   * only the machine's own: a page of another site, whose name was made to lead here, is refused.
   */
  readonly hosts?: readonly string[];
}

export function guard({ cors: origins = [], hosts }: GuardOptions): MiddlewareHandler[] {
  const headers: MiddlewareHandler = async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
    if (origins.length === 0) c.res.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  };
  const strangers: MiddlewareHandler = async (c, next) => {
    if (hosts && !hosts.includes(hostOf(c))) {
      return errorResponse(new HttpError(403, "wrong_host", "the server is not reached under this name"));
    }
    const origin = c.req.header("origin");
    const isOwn = origin === undefined || origin.replace(/^https?:\/\//, "") === c.req.header("host");
    if (!isOwn && !origins.includes(origin)) {
      return errorResponse(new HttpError(403, "wrong_origin", "pages of this origin may not use the server"));
    }
    return next();
  };
  const shared = cors({
    origin: [...origins],
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    allowHeaders: ["Authorization", "Content-Type", "Content-Encoding"],
    maxAge: 600,
  });
  return origins.length > 0 ? [headers, strangers, shared] : [headers, strangers];
}

function hostOf(c: Context): string {
  return (c.req.header("host") ?? "").replace(/:\d+$/, "").toLowerCase();
}
