// A change that takes a while → its progress, as the server reports it, and its answer. The answer is a stream of events.

import type { ErrorAnswer, ProgressEvent } from "../../src/schemas/index.ts";
import { ApiError, request, toApiError } from "./client.ts";

export type OnProgress = (progress: ProgressEvent) => void;

/** Sends a change and reads its events. The last one is `done` or `error`. */
export async function change<Answer>(
  path: string,
  body: Blob | undefined,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Answer> {
  const headers = {
    Accept: "text/event-stream",
    ...(body && { "Content-Type": "application/octet-stream" }),
  };
  const response = await request(path, { method: "POST", headers, signal, ...(body && { body }) });
  for await (const { event, data } of readEvents(response)) {
    if (event === "progress") onProgress(data as ProgressEvent);
    if (event === "done") return data as Answer;
    if (event === "error") throw toApiError(400, data as ErrorAnswer);
  }
  throw new ApiError(0, "unreachable", "The server ended the answer early.", "Is it still running?");
}

interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

async function* readEvents(response: Response): AsyncGenerator<ServerEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? [];
      if (event) yield { event, data: JSON.parse(data) };
    }
  }
}
