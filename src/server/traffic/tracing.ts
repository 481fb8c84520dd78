// Traces by OpenTelemetry: a span for each request, for its wait, and for the stages of its search. The package
// @opentelemetry/api is an optional peer, and the program brings the SDK that sends spans somewhere. Without either, nothing is
// recorded, and the id of a trace that a client began still gets into the log.

import type { Span, Context as TraceContext } from "@opentelemetry/api";

type TelemetryApi = typeof import("@opentelemetry/api");

/** The package, if it is installed. */
const loading: Promise<TelemetryApi | undefined> = import("@opentelemetry/api").catch(() => undefined);

/** W3C's header: version, id of the trace, id of the span, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NOTHING = /^0+$/;

/** What a span says of a request. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The stages of a search, as the library reports them. */
interface Stages {
  readonly firstStageMs: number;
  readonly secondStageMs: number;
  readonly kernel: string;
  readonly plan: string;
  readonly candidates: number;
}

/** The time of day, in ms, as exact as `performance.now`. */
const timeOfDay = () => performance.timeOrigin + performance.now();

/** The trace of one request. */
export class RequestTrace {
  readonly #api: TelemetryApi | undefined;
  readonly #span: Span | undefined;
  readonly #context: TraceContext | undefined;
  /** The id of the trace, for the log; undefined if there is none. */
  readonly id: string | undefined;

  private constructor(
    api: TelemetryApi | undefined,
    id: string | undefined,
    span?: Span,
    context?: TraceContext,
  ) {
    this.#api = api;
    this.#span = span;
    this.#context = context;
    this.id = id;
  }

  /** Begins the span of a request. A span in the header `traceparent` is its parent. */
  static async begin(name: string, headers: Headers, attributes: Attributes): Promise<RequestTrace> {
    const api = await loading;
    const given = parentOf(headers.get("traceparent") ?? "");
    if (!api) return new RequestTrace(api, given?.traceId);
    const { context, propagation, trace, isSpanContextValid, SpanKind } = api;
    const get = (from: Headers, key: string) => from.get(key) ?? undefined;
    const keys = (from: Headers) => [...from.keys()];
    const active = context.active();
    // The program's own propagator comes first: it may know other headers.
    const extracted = propagation.extract(active, headers, { get, keys });
    const isKnown = trace.getSpanContext(extracted) !== undefined || given === undefined;
    const parent = isKnown ? extracted : trace.setSpanContext(extracted, { ...given, isRemote: true });
    const span = trace.getTracer("sluice").startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const spanContext = span.spanContext();
    const id = isSpanContextValid(spanContext) ? spanContext.traceId : given?.traceId;
    return new RequestTrace(api, id, span, trace.setSpan(parent, span));
  }

  /** Runs work inside the span: spans that the work begins are its children. */
  run<T>(work: () => T): T {
    return this.#api && this.#context ? this.#api.context.with(this.#context, work) : work();
  }

  /** Records a part of the request that lasted from a time to another, both as of `performance.now`. */
  recordPart(name: string, from: number, to: number, attributes: Attributes = {}): void {
    if (!this.#api) return;
    const { timeOrigin } = performance;
    const options = { startTime: timeOrigin + from, attributes };
    const span = this.#api.trace.getTracer("sluice").startSpan(name, options, this.#context);
    span.end(timeOrigin + to);
  }

  /** Records a search and its two stages. Their lengths were measured; that the second one ends with the search is a guess. */
  search(from: number, to: number, stages: Stages): void {
    const { firstStageMs, secondStageMs, kernel, plan, candidates } = stages;
    this.recordPart("search", from, to, { "sluice.kernel": kernel, "sluice.plan": plan });
    const second = Math.max(from, to - secondStageMs);
    this.recordPart("first stage", Math.max(from, second - firstStageMs), second, {
      "sluice.candidates": candidates,
    });
    this.recordPart("second stage", second, to);
  }

  end(status: number, attributes: Attributes): void {
    const span = this.#span;
    if (!span) return;
    span.setAttributes({ ...attributes, "http.response.status_code": status });
    if (status >= 500) span.setStatus({ code: this.#api!.SpanStatusCode.ERROR });
    span.end(timeOfDay());
  }
}

function parentOf(header: string) {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(header) ?? [];
  if (traceId === "" || NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
