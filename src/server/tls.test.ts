// TLS: the server speaks it, renews its certificate while connections are open, and refuses what is old or bad.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selfSigned } from "../../test/helpers/certificate.ts";
import { keepLog } from "../../test/helpers/server.ts";
import { Sluice, SluiceError } from "../index.ts";
import { type RunningServer, serve } from "./listen.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-tls-"));
const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
const [first, second] = [selfSigned("first"), selfSigned("second")];
const { entries: logged, log } = keepLog();
let index: Sluice;
let server: RunningServer;

function write({ cert, key }: { cert: string; key: string }): void {
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key);
}

beforeAll(async () => {
  write(first);
  index = await Sluice.build([{ id: "1", text: "a gate" }], { encoder: "none" });
  server = await serve({ things: index }, { port: 0, page: false, log, tls: { ...files, refreshMs: 0 } });
});
afterAll(async () => {
  await server.close();
  await index.close();
  rmSync(folder, { recursive: true });
});

function get(ca: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${server.url}${path}`, { ca, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part) => {
        body += part;
      });
      response.on("end", () => resolve({ status: response.statusCode!, body }));
    });
    asked.on("error", reject).end();
  });
}

const open = (options: object): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: server.port, host: "127.0.0.1", ...options }, () => resolve(socket));
    socket.on("error", reject);
  });

test("answers over TLS, and nothing over plain HTTP", async () => {
  expect(server.url).toMatch(/^https:/);
  const found = await get(first.cert, "/v1/indexes/things/search?query=gate");
  expect([found.status, JSON.parse(found.body).hits.length]).toEqual([200, 1]);
  await expect(get(second.cert, "/health")).rejects.toThrow(/self-signed|certificate/);
  await expect(fetch(server.url.replace("https", "http"))).rejects.toThrow();
});

test("TLS 1.2 is the least", async () => {
  const socket = await open({ ca: first.cert, maxVersion: "TLSv1.2" });
  expect(socket.getProtocol()).toBe("TLSv1.2");
  socket.destroy();
  const old = { ca: first.cert, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT:@SECLEVEL=0" };
  await expect(open(old)).rejects.toThrow();
});

test("a new certificate is used without dropping connections; a bad one is logged once, and the old one stays", async () => {
  const kept = await open({ ca: first.cert });
  write(second);
  await server.reload();
  expect((await get(second.cert, "/health")).status).toBe(200);
  await expect(get(first.cert, "/health")).rejects.toThrow();
  const answered = new Promise<string>((resolve) => {
    kept.setEncoding("utf8").on("data", (text) => resolve(String(text)));
  });
  kept.write("GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  expect(await answered).toMatch(/^HTTP\/1\.1 200/);

  logged.length = 0;
  for (const bad of [
    { ...second, cert: first.cert },
    { ...second, cert: "nonsense" },
  ]) {
    write(bad);
    await server.reload();
    await server.reload();
    expect((await get(second.cert, "/health")).status).toBe(200);
  }
  rmSync(files.key);
  await server.reload();
  const told = logged.map(([, message]) => message);
  expect(told).toEqual(Array(3).fill("the new certificate cannot be used; the old one stays"));
  expect(JSON.stringify(logged)).not.toContain("PRIVATE KEY");
  write(first);
  await server.reload();
  expect((await get(first.cert, "/health")).status).toBe(200);
});

test("files that change are noticed by themselves", async () => {
  const other = await serve({ things: index }, { port: 0, page: false, tls: { ...files, refreshMs: 20 } });
  write(second);
  const certificate = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ port: other.port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      }).on("error", reject);
    });
  await expect.poll(certificate).toBe("second");
  await other.close();
  write(first);
});

test("a bad certificate at the start is an error that names the files", async () => {
  const start = () => serve({ things: index }, { port: 0, page: false, tls: files });
  write({ ...first, key: second.key });
  await expect(start()).rejects.toThrow(`${files.cert} and ${files.key} are not a certificate and its key`);
  rmSync(files.cert);
  await expect(start()).rejects.toThrow(SluiceError);
  write(first);
});
