// Bodies with one document per line are read once and within the limits, and errors name the right line.

import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { readDocumentsOfBody } from "./body.ts";
import type { HttpError } from "./http-errors.ts";
import { resolveLimits } from "./limits.ts";

/** A request whose body comes in parts; `sent` counts the parts that were asked for. */
function inParts(bytes: Uint8Array, each: number, headers: Record<string, string> = {}) {
  const parts = { sent: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const at = parts.sent++ * each;
        if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + each));
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const init = {
    method: "POST",
    body,
    duplex: "half",
    headers: { "content-type": "application/x-ndjson", ...headers },
  };
  return { request: new Request("http://any.example/", init as RequestInit), parts };
}

const never = new AbortController().signal;

async function read(request: Request, limits = {}, signal = never): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const document of readDocumentsOfBody(request, resolveLimits(limits), signal))
    found.push(document);
  return found;
}

const refusal = (work: Promise<unknown>): Promise<HttpError> =>
  work.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe("lines", () => {
  const documents = [
    { id: "1", text: "naïve 水門 🌊" },
    { id: "2", text: "x".repeat(100) },
    { id: "3", text: "" },
  ];
  const [first, second, third] = documents.map((document) => JSON.stringify(document));
  const bytes = Buffer.from(`\ufeff${first}\r\n\n  \n${second}\n${third}`);

  test("are the same however the bytes are cut", async () => {
    for (const each of [1, 2, 3, 7, 64, 1000])
      expect(await read(inParts(bytes, each).request)).toEqual(documents);
  });

  test("are counted with the blank ones", async () => {
    const { message } = await refusal(read(inParts(Buffer.from(`${first}\n\n \n{"id":\n`), 5).request));
    expect(message).toMatch(/^line 4: not valid JSON/);
  });

  test("that are not UTF-8 are refused", async () => {
    const broken = Buffer.concat([Buffer.from(`${first}\n`), Buffer.from([0x22, 0xff, 0x22, 0x0a])]);
    expect((await refusal(read(inParts(broken, 4).request))).message).toBe("the body is not UTF-8 text");
  });
});

test("a long line in small parts is joined once, not with every part", async () => {
  const text = "a".repeat(4_000_000);
  const bytes = Buffer.from(JSON.stringify({ id: "long", text }));
  const concat = vi.spyOn(Buffer, "concat");
  try {
    expect(await read(inParts(bytes, 64).request)).toEqual([{ id: "long", text }]);
    const joined = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    expect(joined).toBe(bytes.length);
  } finally {
    concat.mockRestore();
  }
});

describe("a line over the limit", () => {
  const limits = { bodyBytes: 1000 };

  test("is refused as soon as the limit is passed", async () => {
    const { request, parts } = inParts(Buffer.alloc(1_000_000, "a"), 100);
    expect(await refusal(read(request, limits))).toMatchObject({
      status: 413,
      message: "line 1 is larger than 1000 bytes",
    });
    expect(parts.sent).toBe(11);
  });

  test("is refused when its end comes in the same part, and counts bytes, not characters", async () => {
    for (const filling of ["a".repeat(1200), "水".repeat(400)]) {
      const lines = Buffer.from(`{"id":"1"}\n{"id":"2","text":"${filling}"}\n{"id":"3"}\n`);
      expect(await refusal(read(inParts(lines, 10_000).request, limits))).toMatchObject({
        status: 413,
        message: "line 2 is larger than 1000 bytes",
      });
    }
  });

  test("is refused when it comes out of gzip", async () => {
    const bomb = inParts(gzipSync(Buffer.alloc(20_000_000)), 65_536, { "content-encoding": "gzip" });
    expect((await refusal(read(bomb.request, { bodyBytes: 16_000_000 }))).status).toBe(413);
  });
});

test("reading stops when the request is aborted, even if its gzip yields no document", async () => {
  const blank = inParts(gzipSync(Buffer.alloc(200_000_000, "\n")), 1_000_000, { "content-encoding": "gzip" });
  const given = new AbortController();
  const { signal } = given;
  // Inflated, the body comes in about 12,000 parts. Each is a chance to stop, and the tenth is taken.
  let looks = 0;
  signal.throwIfAborted = () => {
    if (++looks === 10) given.abort(new Error("given up"));
    AbortSignal.prototype.throwIfAborted.call(signal);
  };
  expect((await refusal(read(blank.request, {}, signal))).message).toBe("given up");
  expect(looks).toBeLessThan(15);
});

test("a JSON body is an object with documents, or their list", async () => {
  const ask = (body: unknown) =>
    read(
      new Request("http://any.example/", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    );
  const documents = [{ id: "1" }, { id: "2", text: "a lock" }];
  expect(await ask({ documents })).toEqual(documents);
  expect(await ask(documents)).toEqual(documents);
  expect((await refusal(ask([]))).message).toBe("body.documents: must not be empty");
  expect((await refusal(ask([{ id: 5 }]))).message).toBe("body.documents.0.id: must be a text, not 5");
  expect((await refusal(ask("1"))).message).toBe('body: must be an object, not "1"');
});
