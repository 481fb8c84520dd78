// A body with a document on each line, or a JSON object of documents; plain or gzip. However it is cut, it is read alike.

import { gzipSync } from "node:zlib";
import { readDocumentsOfBody } from "../../../src/server/wire/body.ts";
import { resolveLimits } from "../../../src/server/wire/limits.ts";
import { outcome, requireSameOutcome, type Target } from "../contract/target.ts";

const limits = resolveLimits({ bodyBytes: 2048, streamBytes: 65_536 });
const never = new AbortController().signal;

async function read(bytes: Uint8Array, piece: number, headers: Record<string, string>): Promise<unknown[]> {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + piece));
      at += piece;
    },
  });
  const init = { method: "POST", body, duplex: "half", headers } as RequestInit;
  const found: unknown[] = [];
  for await (const document of readDocumentsOfBody(new Request("http://any.example/", init), limits, never))
    found.push(document);
  return found;
}

export const target: Target = {
  name: "http-lines",
  longest: 3000,
  seeds: () => [
    '{"id":"1","text":"water"}\n\n{"id":"2","vector":[1,2],"year":3}\r\n',
    '{"documents":[{"id":"1","title":"a"},{"id":"2","weights":{"a":1}}]}',
    new Uint8Array(gzipSync('{"id":"1","text":"water"}\n')),
  ],
  async run(bytes) {
    const types = ["application/x-ndjson", "application/json"];
    const isGzip = bytes[0] === 0x1f;
    for (const type of types) {
      const headers = { "content-type": type, ...(isGzip && { "content-encoding": "gzip" }) };
      const whole = await outcome(() => read(bytes, 1 << 20, headers));
      requireSameOutcome("documents of pieces", await outcome(() => read(bytes, 7, headers)), whole);
    }
  },
};
