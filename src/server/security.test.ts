// Attacks and mistakes: each is refused with the right status, and nothing is leaked or lost.

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { writeModel } from "../../test/helpers/onnx.ts";
import { keepLog, LINES, type Reply, started, type TestServer, THINGS } from "../../test/helpers/server.ts";
import { Encoder } from "../encode/index.ts";
import { type ErrorCode, Sluice, SluiceError } from "../index.ts";
import { Keys, keysOfEnvironment } from "./access/keys.ts";
import { createServer } from "./app.ts";
import { serve } from "./listen.ts";
import { toHttpError } from "./wire/http-errors.ts";

const READ = "read-key-0123456789abcdef";
const WRITE = "write-key-0123456789abcdef";
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const documents = `${THINGS}/documents`;

const { entries: logged, log } = keepLog();
let server: TestServer;
beforeAll(async () => {
  server = await started({
    log,
    keys: { read: [READ], write: [WRITE] },
    limits: { bodyBytes: 100_000, streamBytes: 300_000, readMs: 500, pauseMs: 300 },
  });
});
afterAll(() => server.end());

/** Whatever was tried: all documents are there, and nobody learned where. */
afterEach(async () => {
  const { body } = await server.send("GET", THINGS, undefined, bearer(READ));
  expect(body.docs).toBe(3);
});

function expectRefusal({ status, body }: Reply, expected: number, code: string): void {
  expect([status, body.error.code]).toEqual([expected, code]);
  const text = JSON.stringify(body);
  expect(text).not.toContain(server.folder);
  expect(text).not.toMatch(/node_modules|\.ts:\d|\.js:\d|\bat \w+ \(/);
}

describe("keys", () => {
  test("no key, a wrong key, a key of another kind", async () => {
    const routes = [
      ["GET", "/v1/indexes"],
      ["GET", `${THINGS}/documents/1`],
      ["GET", `${THINGS}/search?query=gate`],
      ["GET", "/metrics"],
      ["DELETE", `${documents}/1`],
      ["POST", `${THINGS}/commit?transaction=x`],
    ];
    for (const [method, path] of routes) {
      const none = await server.send(method, path);
      expectRefusal(none, 401, "no_key");
      expect(none.headers.get("www-authenticate")).toBe("Bearer");
      expectRefusal(
        await server.send(method, path, undefined, { authorization: "Basic eDp5" }),
        401,
        "no_key",
      );
      for (const wrong of ["nonsense", READ.slice(0, -1), `${READ}x`, READ.toUpperCase()])
        expectRefusal(await server.send(method, path, undefined, bearer(wrong)), 401, "wrong_key");
    }
  });

  test("a read key reads and does not write; a write key does both", async () => {
    expect((await server.send("GET", "/v1/indexes", undefined, bearer(READ))).status).toBe(200);
    expect((await server.send("GET", "/v1/indexes", undefined, bearer(WRITE))).status).toBe(200);
    const body = { documents: [{ id: "new", text: "x" }] };
    for (const method of ["POST", "PUT"])
      expectRefusal(await server.send(method, documents, body, bearer(READ)), 403, "read_key");
    expectRefusal(await server.send("DELETE", documents, { ids: ["1"] }, bearer(READ)), 403, "read_key");
    expectRefusal(await server.send("DELETE", `${documents}/1`, undefined, bearer(READ)), 403, "read_key");
    for (const what of ["commit", "rollback"])
      expectRefusal(
        await server.send("POST", `${THINGS}/${what}?transaction=x`, undefined, bearer(READ)),
        403,
        "read_key",
      );
    expect((await server.send("DELETE", `${documents}/none`, undefined, bearer(WRITE))).status).toBe(200);
  });

  test("health, readiness and the description of the API are open", async () => {
    for (const path of ["/health", "/ready", "/openapi.json", "/docs"])
      expect((await server.send("GET", path)).status).toBe(200);
  });

  test("without keys the server listens on this machine only, and accepts only its own names", async () => {
    for (const host of ["0.0.0.0", "::", "example.org"])
      await expect(serve({ things: server.index }, { host, port: 0 })).rejects.toThrow(/without keys/);
    const open = await started();
    expect((await open.send("GET", "/v1/indexes")).status).toBe(200);
    const status = await new Promise((resolve) => {
      request({ port: open.port, path: "/v1/indexes", headers: { host: "evil.example" } }, (response) =>
        resolve(response.statusCode),
      ).end();
    });
    expect(status).toBe(403);
    await open.end();
  });

  test("short keys are refused; keys in the environment are split", () => {
    expect(() => new Keys({ read: ["short"] })).toThrow(SluiceError);
    const env = { SLUICE_READ_KEYS: `${READ}, other-key-0123456789`, SLUICE_WRITE_KEYS: "" };
    expect(keysOfEnvironment(env)).toEqual({ read: [READ, "other-key-0123456789"], write: [], admin: [] });
  });

  test("with read keys only, nobody can write", () => {
    const keys = new Keys({ read: [READ] });
    expect(() => keys.identifyCaller(`Bearer ${READ}`, "read")).not.toThrow();
    expect(() => keys.identifyCaller(`Bearer ${READ}`, "write")).toThrow("but not write");
  });
});

describe("pages of other sites", () => {
  test("another origin is refused, and so are the content types of forms", async () => {
    const foreign = { ...bearer(WRITE), origin: "https://evil.example" };
    expectRefusal(await server.send("GET", "/v1/indexes", undefined, foreign), 403, "wrong_origin");
    expectRefusal(await server.send("DELETE", `${documents}/1`, undefined, foreign), 403, "wrong_origin");
    const { body: refused } = await server.send("GET", "/v1/indexes", undefined, foreign);
    expect(refused.error.hint).toContain("the option cors");
    const own = { ...bearer(READ), origin: server.url };
    expect((await server.send("GET", "/v1/indexes", undefined, own)).status).toBe(200);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const body = '{"documents":[{"id":"new","text":"x"}]}';
      const reply = await server.raw("POST", documents, body, { ...bearer(WRITE), "content-type": type });
      expectRefusal(reply, 415, "unsupported_type");
    }
  });

  test("an allowed origin gets its CORS headers", async () => {
    const other = await started({ cors: ["https://good.example"] });
    const good = { origin: "https://good.example" };
    const asked = await other.send("OPTIONS", `${THINGS}/search`, undefined, {
      ...good,
      "access-control-request-method": "POST",
    });
    expect(asked.headers.get("access-control-allow-origin")).toBe("https://good.example");
    const answer = await other.send("POST", `${THINGS}/search`, { query: "gate" }, good);
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, good.origin]);
    const bad = await other.send(
      "POST",
      `${THINGS}/search`,
      { query: "gate" },
      { origin: "https://evil.example" },
    );
    expect([bad.status, bad.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    await other.end();
  });

  test("every answer has a strict content security policy", async () => {
    for (const path of ["/docs", "/health", "/nothing", THINGS]) {
      const { headers } = await server.send("GET", path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'self'; script-src 'self'; style-src 'self'/,
      );
      expect(headers.get("content-security-policy")).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });
});

describe("names and addresses", () => {
  test("no name of an index leads to another path", async () => {
    const names = [
      "..",
      "%2e%2e",
      "..%2f..%2fetc%2fpasswd",
      "things%00",
      "things%2f..",
      "__proto__",
      "constructor",
      "%",
    ];
    for (const name of [...names, "a".repeat(5000)]) {
      const reply = await server.send(
        "GET",
        `/v1/indexes/${name}/search?query=gate`,
        undefined,
        bearer(READ),
      );
      expect([name.slice(0, 20), reply.status]).toEqual([name.slice(0, 20), 404]);
      expect(JSON.stringify(reply.body)).not.toContain(server.folder);
    }
  });

  test("names that need escaping in a URL are refused", async () => {
    for (const name of ["../up", "a b", "", ".hidden", "a/b", "x".repeat(65)])
      await expect(serve({ [name]: server.index }, { port: 0 })).rejects.toThrow("cannot name an index");
  });

  test("a path with .. is answered like any unknown path", async () => {
    const other = await started({ page: undefined });
    for (const path of ["/../../../../etc/passwd", "/..%2f..%2fetc/passwd", "/assets/../../package.json"]) {
      const text = await rawGet(other.port, path);
      expect(text).toMatch(/^HTTP\/1\.1 (404|400|302)/);
      expect(text).not.toContain("root:");
      expect(text).not.toContain('"dependencies"');
    }
    await other.end();
  });
});

describe("bodies", () => {
  const key = bearer(WRITE);
  const json = { ...key, "content-type": "application/json" };

  test("a gigabyte is refused by its stated length, before it is sent", async () => {
    for (const type of ["application/json", "application/x-ndjson"]) {
      const text = await rawPost(server.port, documents, {
        ...key,
        "content-type": type,
        "content-length": String(2 ** 30),
      });
      expect(text).toMatch(/^HTTP\/1\.1 413 /);
      expect(text).toMatch(/connection: close/i);
    }
  });

  test("a gigabyte without a stated length is cut off at the limit", async () => {
    for (const headers of [json, { ...key, ...LINES }]) {
      let sent = 0;
      const lines = new TextEncoder().encode(`{"id":"${"x".repeat(100)}","text":"y"}\n`.repeat(500));
      const endless = new ReadableStream({
        async pull(controller) {
          await turn(); // the server is in the same process
          sent += lines.length;
          if (sent > 2 ** 30) controller.close();
          else controller.enqueue(lines);
        },
      });
      logged.length = 0;
      // The answer may be lost to a client that goes on sending into a closed connection. The log has it in any case.
      await server.raw("PUT", documents, endless, headers).catch(() => undefined);
      expect(logged.map(([entry]) => entry)).toContainEqual(
        expect.objectContaining({ method: "PUT", status: 413, code: "too_large" }),
      );
      // A refused body is read on for a moment, up to 64 MiB, so that the answer is heard.
      expect(sent).toBeLessThan(2 ** 27);
    }
  });

  test("a gzip bomb is decompressed up to the limit and no further", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(100_000);
    const packed = { "content-encoding": "gzip" };
    expectRefusal(await server.raw("POST", documents, bomb, { ...json, ...packed }), 413, "too_large");
    expectRefusal(
      await server.raw("POST", documents, bomb, { ...key, ...LINES, ...packed }),
      413,
      "too_large",
    );
    const cut = gzipSync(JSON.stringify({ documents: [{ id: "z", text: "x".repeat(1000) }] })).subarray(
      0,
      -10,
    );
    expectRefusal(await server.raw("POST", documents, cut, { ...json, ...packed }), 400, "damaged_gzip");
    for (const encoding of ["br", "deflate", "gzip, gzip"]) {
      const reply = await server.raw("POST", documents, "{}", { ...json, "content-encoding": encoding });
      expectRefusal(reply, 415, "unsupported_encoding");
    }
  });

  test("a client that sends too slowly, or stops, gets a timeout", async () => {
    const chunked = (headers: Record<string, string>, first: string) =>
      rawPost(server.port, documents, { ...headers, "transfer-encoding": "chunked" }, first);
    const stuck = await Promise.all([
      rawPost(server.port, documents, { ...json, "content-length": "500" }, '{"documents": ['),
      chunked(json, '10\r\n{"documents": [ \r\n'),
      chunked({ ...key, ...LINES }, '18\r\n{"id": "a", "text": "x"}\r\n'),
    ]);
    for (const text of stuck) expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"slow_body"/);
  });

  test("a request that cannot be read is answered like any other", async () => {
    const ask = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
        let answer = "";
        socket.on("data", (part) => {
          answer += part;
        });
        socket.on("close", () => resolve(answer));
      });
    const end = "Connection: close\r\n\r\n";
    const refused = [
      `GET /health HTTP/1.1\r\nHost: a b%%%%[\r\n${end}`,
      `OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${end}`,
      `nonsense\r\n${end}`,
    ];
    for (const text of refused) {
      const answer = await ask(text);
      const [head, body] = answer.split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      const { error } = JSON.parse(body);
      expect(error.code).toBe("invalid");
      expect(head.toLowerCase()).toContain(`x-request-id: ${error.requestId}`);
      expect(logged.some(([entry]) => entry.requestId === error.requestId)).toBe(true);
    }
    const healthy = await ask("GET /health HTTP/1.0\r\n\r\n");
    expect(healthy).toMatch(/^HTTP\/1\.1 200 [\s\S]*"ok"/);
  });

  test("ids that no address can hold are refused", async () => {
    for (const id of [".", ".."]) {
      const reply = await server.send("PUT", documents, { documents: [{ id, text: "x" }] }, key);
      expectRefusal(reply, 400, "invalid");
      expect(reply.body.error.message).toContain("an address cannot hold");
      const file = await server.raw(
        "POST",
        `${THINGS}/upload?file=a.jsonl`,
        JSON.stringify({ id, text: "x" }),
        {
          ...key,
          ...LINES,
        },
      );
      expectRefusal(file, 400, "invalid");
    }
    expect((await server.send("PUT", documents, { documents: [{ id: "...", text: "x" }] }, key)).status).toBe(
      200,
    );
    expect((await server.send("DELETE", `${documents}/...`, undefined, key)).body.deleted).toBe(1);
  });

  test("origins are taken as browsers send them, or refused at the start", async () => {
    const ask = async (cors: string) => {
      const { app } = createServer({ things: server.index }, { cors: [cors], page: false, refreshMs: 0 });
      return (await app.request("/health", { headers: { origin: "https://a.com" } })).status;
    };
    for (const cors of ["https://a.com", "https://a.com/", "HTTPS://A.com:443"])
      expect(await ask(cors)).toBe(200);
    for (const cors of ["*", "a.com", "https://a.com/page", "ftp://a.com", ""])
      await expect(ask(cors)).rejects.toThrow("is not an origin");
  });

  test("blanks do not keep a stream of documents alive", async () => {
    let sending: NodeJS.Timeout | undefined;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id": "a", "text": "x"}\n'));
        sending = setInterval(() => controller.enqueue(new TextEncoder().encode(" ")), 20);
      },
      cancel: () => clearInterval(sending),
    });
    const reply = await server.raw("POST", documents, body, { ...key, ...LINES });
    clearInterval(sending);
    expectRefusal(reply, 408, "slow_body");
  });

  test("malformed JSON", async () => {
    for (const body of ["", "{", '{"query": }', "nonsense", "\u0000", '{"query": "a"} x']) {
      const reply = await server.raw("POST", `${THINGS}/search`, body, {
        ...bearer(READ),
        "content-type": "application/json",
      });
      expectRefusal(reply, 400, "malformed_json");
    }
    const latin = new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]);
    expectRefusal(await server.raw("POST", `${THINGS}/search`, latin, json), 400, "malformed_json");
    for (const body of ["null", "[]", '"text"', "5", "{}", '{"query": 5}', '{"query": {"row": {}}}']) {
      expectRefusal(await server.raw("POST", `${THINGS}/search`, body, json), 400, "invalid");
    }
  });

  test("deep nesting", async () => {
    const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`;
    const reply = await server.raw("POST", documents, `{"documents":[{"id":"d","x":${deep}}]}`, json);
    expectRefusal(reply, 400, "invalid");
    const nested = `{"query":"a","filter":${'{"not":'.repeat(70)}{}${"}".repeat(70)}}`;
    expectRefusal(await server.raw("POST", `${THINGS}/search`, nested, json), 400, "invalid");
  });

  test("keys that name a prototype change nothing", async () => {
    const hostile = ['{"__proto__":{"polluted":1}}', '{"a":{"b":[{"\\u005f_proto__":{"polluted":1}}]}}'];
    for (const value of hostile) {
      const asDocument = `{"documents":[{"id":"p","text":"x","more":${value}}]}`;
      expectRefusal(await server.raw("POST", documents, asDocument, json), 400, "invalid");
      expectRefusal(
        await server.raw("POST", documents, `{"id":"p","more":${value}}\n`, { ...key, ...LINES }),
        400,
        "invalid",
      );
      const asFilter = `{"query":"gate","filter":${value}}`;
      expectRefusal(await server.raw("POST", `${THINGS}/search`, asFilter, json), 400, "invalid");
    }
    for (const field of ["constructor", "toString", "hasOwnProperty", "constructor.prototype"]) {
      const { status, body } = await server.send(
        "POST",
        `${THINGS}/search`,
        { query: "gate", filter: { [field]: { exists: true } } },
        key,
      );
      expect([status, body.hits]).toEqual([200, []]);
    }
    const kept = { id: "odd", text: "an okapi", constructor: { prototype: { polluted: 1 } } };
    expect((await server.send("PUT", documents, { documents: [kept] }, key)).status).toBe(200);
    const { body } = await server.send("GET", `${documents}/odd`, undefined, key);
    expect(body.document).toEqual({ text: kept.text, constructor: kept.constructor });
    await server.send("DELETE", `${documents}/odd`, undefined, key);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("a request cannot name an encoder or a path", async () => {
    const names = {
      encoder: "http://169.254.169.254/latest",
      model: "/etc/passwd",
      path: "../..",
      kernel: "webgpu",
    };
    for (const [name, value] of Object.entries(names)) {
      const ask = (path: string, body: object) => server.send("POST", path, { ...body, [name]: value }, key);
      expectRefusal(await ask(`${THINGS}/search`, { query: "gate" }), 400, "invalid");
      expectRefusal(await ask(`${THINGS}/explain`, { query: "gate", id: "1" }), 400, "invalid");
      expectRefusal(await ask(documents, { documents: [{ id: "x", text: "y" }] }), 400, "invalid");
      expectRefusal(
        await server.send("GET", `${THINGS}/search?query=gate&${name}=x`, undefined, key),
        400,
        "invalid",
      );
    }
  });

  test("more than the limits allow", async () => {
    const ask = (path: string, body: object) => server.send("POST", THINGS + path, body, key);
    expectRefusal(await ask("/search", { query: "x".repeat(9000) }), 400, "limit");
    expectRefusal(await ask("/search", { query: "x", k: 1001 }), 400, "limit");
    expectRefusal(await ask("/search", { query: "x", k: 10, offset: 10_001 }), 400, "limit");
    expectRefusal(
      await ask("/search-all", { queries: Array.from({ length: 101 }, () => "x") }),
      400,
      "limit",
    );
    expectRefusal(await ask("/explain", { query: "x".repeat(9000), id: "1" }), 400, "limit");
    expectRefusal(await ask("/explain-query", { query: { text: "x".repeat(9000) } }), 400, "limit");
    const weights = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`w${i}`, 1]));
    expect((await ask("/explain-query", { query: { weights } })).status).toBe(200);
    for (const wrong of [
      { k: -1 },
      { k: 1.5 },
      { lambda: -1 },
      { plan: { kind: "pruned", theta: -1 } },
      { plan: { kind: "x" } },
    ])
      expectRefusal(await ask("/search", { query: "x", ...wrong }), 400, "invalid");
  });

  test("ids and fields of documents are checked before anything is stored", async () => {
    const bad = [
      { id: "" },
      { id: 5 },
      { text: "x" },
      { id: "x", text: [] },
      { id: "x".repeat(3000), text: "y" },
    ];
    for (const document of bad) {
      const { status } = await server.send(
        "POST",
        documents,
        { documents: [{ id: "fine", text: "z" }, document] },
        key,
      );
      expect([document, status]).toEqual([document, 400]);
    }
    expectRefusal(await server.send("POST", documents, { documents: [] }, key), 400, "invalid");
    expectRefusal(await server.raw("POST", documents, "\n\n", { ...key, ...LINES }), 400, "invalid");
  });
});

describe("paths of this machine", () => {
  test("messages about files, locks, packages and devices are hidden from clients", () => {
    const told = (code?: ErrorCode) => toHttpError(new SluiceError("/srv/x: no", "remove /srv/y", code));
    const hidden: readonly ErrorCode[] = [
      "ERR_SLUICE_NO_INDEX",
      "ERR_SLUICE_LOCKED",
      "ERR_SLUICE_CONFLICT",
      "ERR_SLUICE_CLOSED",
      "ERR_SLUICE_DAMAGED",
      "ERR_SLUICE_FILE",
      "ERR_SLUICE_DEVICE",
    ];
    expect(told("ERR_SLUICE_MISSING_PACKAGE").status).toBe(501);
    expect(JSON.stringify(told("ERR_SLUICE_MISSING_PACKAGE").answer)).not.toContain("/srv");
    for (const code of hidden) {
      expect([code, told(code).status, told(code).answer.error.code]).toEqual([code, 503, "unavailable"]);
      expect(JSON.stringify(told(code).answer)).not.toContain("/srv");
    }
    for (const [code, status] of [
      ["ERR_SLUICE_NO_DOCUMENT", 404],
      ["ERR_SLUICE_READ_ONLY", 403],
    ] as const) {
      expect([code, told(code).status]).toEqual([code, status]);
      expect(JSON.stringify(told(code).answer)).not.toContain("/srv");
    }
    expect(told("ERR_SLUICE_DUPLICATE_ID").status).toBe(409);
    expect(toHttpError(new TypeError("x is undefined at /srv/app.js")).answer.error).toEqual({
      code: "internal",
      message: "an internal error occurred; the server's log has the details",
    });
  });

  test("a client sees what it sent, even if it looks like a path", () => {
    const sent = new SluiceError('filter["/etc/passwd"]: there is no operator "/b"');
    expect(toHttpError(sent).answer.error).toMatchObject({ code: "invalid", message: sent.message });
  });

  test("no path leaks, whichever file is missing or damaged", async () => {
    const place = mkdtempSync(join(tmpdir(), "sluice-leaks-"));
    const [model, sound] = [join(place, "model"), join(place, "sound")];
    writeModel(model, { states: [...Array.from({ length: 4 }, () => [0, 0]), [1, 0], [0, 1]] }, PIECES, {
      kind: "dense",
      pooling: "mean",
      normalize: false,
      maxLength: { query: 8, passage: 8 },
    });
    const built = await Sluice.open(sound, { encoder: await Encoder.open(model), threads: 1 });
    await built.add([
      { id: "1", text: "water", year: 1 },
      { id: "2", text: "gate", year: 2 },
    ]);
    await built.commit();
    await built.close();
    const modelFiles = readdirSync(model).map((name) => join(model, name));
    const indexFiles = ["index.mdb", join("segments", readdirSync(join(sound, "segments"))[0])];
    const harms: Record<string, (file: string) => void> = {
      gone: (file) => rmSync(file),
      short: (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
      other: (file) => writeFileSync(file, "{ something else"),
      "no file": (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    };
    const answers: string[] = [];
    const statuses = new Set<number>();
    for (const [harm, harmed] of Object.entries(harms)) {
      for (const file of [...modelFiles, ...indexFiles]) {
        const folder = join(place, `index-${harm}-${basename(file)}`);
        cpSync(sound, folder, { recursive: true });
        const index = await Sluice.open(folder);
        const kept = modelFiles.map((name) => [name, readFileSync(name)] as const);
        // LMDB has its file mapped: cut or written over, it would take the process with it.
        if (file === "index.mdb" && !["gone", "no file"].includes(harm)) {
          await index.close();
          continue;
        }
        harmed(file.startsWith("/") ? file : join(folder, file));
        const { fetch: answer, close } = createServer({ things: index }, { page: false, refreshMs: 0 });
        for (const [method, path, body] of REQUESTS) {
          const init = {
            method,
            ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
          };
          const response = await answer(new Request(`http://any.example${path}`, init));
          statuses.add(response.status);
          answers.push(`${harm} ${basename(file)} ${method} ${path}: ${await response.text()}`);
        }
        await close();
        await index.close();
        for (const [name, bytes] of kept) {
          rmSync(name, { recursive: true, force: true });
          writeFileSync(name, bytes);
        }
      }
    }
    expect(statuses.has(503)).toBe(true);
    for (const text of answers) expect(text).not.toContain(place);
    rmSync(place, { recursive: true });
  });
});

const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "water", "gate"];

/** One of each kind, the ones that change something last. */
const REQUESTS: readonly [string, string, object?][] = [
  ["GET", "/v1/indexes"],
  ["GET", THINGS],
  ["GET", `${THINGS}/fields`],
  ["GET", `${THINGS}/documents/1`],
  ["GET", `${THINGS}/documents/none`],
  ["GET", `${THINGS}/search?query=water`],
  ["POST", `${THINGS}/search`, { query: "water", filter: { year: 1 }, highlight: true }],
  ["POST", `${THINGS}/search-all`, { queries: ["water", "gate"] }],
  ["POST", `${THINGS}/explain`, { query: "water", id: "1" }],
  ["POST", `${THINGS}/explain-query`, { query: "water" }],
  ["GET", "/metrics"],
  ["GET", "/ready"],
  ["PUT", `${THINGS}/documents`, { documents: [{ id: "3", text: "gate" }] }],
  ["DELETE", `${THINGS}/documents`, { ids: ["1"] }],
];

/** Everything that comes back for a GET whose path nobody tidies up before. */
function rawGet(port: number, path: string): Promise<string> {
  return exchange(port, `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
}

/** Everything that comes back for a POST that sends `start` of its body and no more. */
function rawPost(port: number, path: string, headers: Record<string, string>, start = ""): Promise<string> {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return exchange(port, `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${start}`);
}

function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8");
    socket.on("data", (part) => {
      received += part;
    });
    socket.on("error", (error) => (received === "" ? reject(error) : resolve(received)));
    socket.on("close", () => resolve(received));
  });
}
