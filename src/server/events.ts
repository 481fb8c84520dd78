// Server-sent events: how a long change tells how far it is.

const encoder = new TextEncoder();

/** Bytes that wait for a slow reader; progress beyond is left out, for the next event says more. */
const MOST_WAITING = 64 * 1024;

export class EventStream {
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #open = true;

  constructor() {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#open = false;
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
    );
    this.response = new Response(body, {
      headers: {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no", // proxies that gather answers would gather progress
      },
    });
  }

  send(event: "progress" | "done" | "error", data: unknown): void {
    if (!this.#open) return;
    if (event === "progress" && (this.#controller.desiredSize ?? 0) <= 0) return;
    this.#controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  end(): void {
    if (this.#open) this.#controller.close();
    this.#open = false;
  }
}
