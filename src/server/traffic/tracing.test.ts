// Traces: spans of requests, waits and search stages go to the SDK that the program brings, and a client's trace is continued.

import {
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  type SpanOptions,
  trace,
} from "@opentelemetry/api";
import { afterEach, expect, test } from "vitest";
import { keepLog, started, THINGS } from "../../../test/helpers/server.ts";

interface Kept {
  readonly name: string;
  readonly options: SpanOptions;
  readonly parent: SpanContext | undefined;
  readonly own: SpanContext;
  attributes: object;
  status?: unknown;
  ended?: unknown;
}

/** A tracer that keeps its spans. It stands for the SDK of a program. */
function keepSpans(): Kept[] {
  const spans: Kept[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, within: Context = ROOT_CONTEXT): Span => {
    const parent = trace.getSpanContext(within);
    const spanId = String(spans.length + 1).padStart(16, "0");
    const own = { traceId: parent?.traceId ?? "f".repeat(32), spanId, traceFlags: 1 };
    const kept: Kept = { name, options, parent, own, attributes: { ...options.attributes } };
    spans.push(kept);
    const span = {
      spanContext: () => own,
      setAttributes: (more: object) => Object.assign(kept.attributes, more),
      setStatus: (status: unknown) => Object.assign(kept, { status }),
      end: (time: unknown) => Object.assign(kept, { ended: time }),
    };
    return span as unknown as Span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as never });
  return spans;
}

afterEach(() => {
  trace.disable();
  context.disable();
});

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;

test("a search has spans of the request, the wait and both stages, in the client's trace", async () => {
  const spans = keepSpans();
  const { entries, log } = keepLog();
  const server = await started({ log });
  await server.send("POST", `${THINGS}/search`, { query: "gate" }, { traceparent: TRACEPARENT });
  expect(spans.map(({ name }) => name)).toEqual([
    "POST /v1/indexes/{name}/search",
    "wait",
    "search",
    "first stage",
    "second stage",
  ]);
  const [request, ...parts] = spans;
  expect(request.parent).toMatchObject({ traceId: TRACE, spanId: "b7ad6b7169203331", isRemote: true });
  expect(request.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/v1/indexes/{name}/search",
    "http.response.status_code": 200,
    "sluice.index": "things",
  });
  for (const { parent, options, ended } of parts) {
    expect(parent?.spanId).toBe(request.own.spanId);
    expect(ended).toBeGreaterThanOrEqual(options.startTime as number);
  }
  expect(spans.every(({ ended }) => ended !== undefined)).toBe(true);
  expect(entries[0][0].trace).toBe(TRACE);
  expect(JSON.stringify(spans)).not.toContain("gate");
  await server.end();
});

test("a request that fails has the status of an error, and one that is refused has not", async () => {
  const spans = keepSpans();
  const server = await started({ limits: { concurrent: 1 } });
  await server.send("POST", `${THINGS}/search`, { query: 5 });
  await server.index.close();
  await server.send("POST", `${THINGS}/search`, { query: "gate" });
  const requests = spans.filter(({ name }) => name.startsWith("POST"));
  expect(requests.map(({ attributes, status }) => [attributes, status])).toMatchObject([
    [{ "http.response.status_code": 400 }, undefined],
    [{ "http.response.status_code": 503 }, { code: 2 }],
  ]);
  await server.end();
});

test("without an SDK, a client's trace is in the log all the same; nonsense is not", async () => {
  const { entries, log } = keepLog();
  const server = await started({ log });
  const nonsense = [
    "",
    "x",
    `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    `${TRACEPARENT}\tx`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
  ];
  for (const traceparent of [TRACEPARENT, ...nonsense])
    await server.send("GET", THINGS, undefined, { traceparent });
  expect(entries.map(([{ trace }]) => trace)).toEqual([TRACE, ...nonsense.map(() => undefined)]);
  await server.end();
});
