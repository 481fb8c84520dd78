// Answers and errors → HTTP responses.

import type { ErrorAnswer } from "../../schemas/index.ts";
import type { HttpError } from "./http-errors.ts";

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const text = JSON.stringify(value);
  return new Response(text, {
    status,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(text)),
      "Cache-Control": "no-store",
      ...headers,
    },
  });
}

/** A file that is sent as it is read. */
export interface Download {
  readonly type: string;
  readonly name: string;
  readonly bytes: number;
  readonly content: AsyncGenerator<Uint8Array>;
  /** Called when the file was sent, or the client is gone. */
  remove(): Promise<void>;
}

export function downloadResponse({ type, name, bytes, content, remove }: Download): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await content.next();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        controller.close();
      } catch (error) {
        controller.error(error); // the client sees that the file is shorter than its stated length
      }
      await remove();
    },
    async cancel() {
      await content.return(undefined);
      await remove();
    },
  });
  return new Response(body, {
    headers: {
      "Content-Type": type,
      "Content-Length": String(bytes),
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    },
  });
}

/** The answer of an error, with the id by which the log has it. */
export function errorAnswerOf({ answer }: HttpError, requestId: string): ErrorAnswer {
  return { error: { ...answer.error, requestId } };
}

export function errorResponse(error: HttpError, requestId: string): Response {
  // 499 is not an HTTP status; it is for the log only.
  const status = error.status === 499 ? 408 : error.status;
  return jsonResponse(status, errorAnswerOf(error, requestId), error.headers);
}
