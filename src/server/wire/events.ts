// A stream of server-sent events: a long change reports its progress, then its result or its error.

const encoder = new TextEncoder();

/** Bytes that may wait for a slow client. Progress events beyond that are dropped: a later one replaces them. */
const MAX_WAITING_BYTES = 64 * 1024;

export class EventStream {
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #isOpen = true;

  constructor() {
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#isOpen = false;
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    );
    this.response = new Response(body, {
      headers: {
        "Content-Type": "text/event-stream; charset=utf-8",
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no", // a proxy that buffers answers would hold the progress back
      },
    });
  }

  send(event: "progress" | "done" | "error", data: unknown): void {
    if (!this.#isOpen) return;
    if (event === "progress" && (this.#controller.desiredSize ?? 0) <= 0) return;
    this.#controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  end(): void {
    if (this.#isOpen) this.#controller.close();
    this.#isOpen = false;
  }
}
