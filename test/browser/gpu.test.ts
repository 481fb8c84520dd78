// The same query on the same rows gives the same hits in a browser as in Node. The browser is headless Chromium with its
// software GPU.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { describe, expect, test, vi } from "vitest";
import type { Device } from "../../src/scan/webgpu/device.ts";
import { tryDevice } from "../helpers/swiftshader.ts";
import { launch, newPage, noChromium } from "./chromium.ts";
import { type SampleHits, searchSample } from "./gpu-sample.ts";

vi.setConfig({ testTimeout: 300_000 }); // a GPU in software is slow

const found = await tryDevice();
const missing = noChromium() ?? (typeof found === "string" ? found : undefined);
if (missing) console.warn(`WebGPU in a browser is not tested: ${missing}`);

/** The page's program as one file. */
async function bundled(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      target: "esnext",
      lib: {
        entry: fileURLToPath(new URL("gpu-page.ts", import.meta.url)),
        formats: ["es"],
        fileName: "page",
      },
    },
  });
  const [{ output }] = Array.isArray(result) ? result : [result as never];
  return (output as readonly { code: string }[])[0].code;
}

async function hitsInBrowser(): Promise<{ adapter: string; hits: SampleHits[] }> {
  const code = await bundled();
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? code : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await launch();
  try {
    const page = await newPage(browser);
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("globalThis.sluice");
    const answer = (await page.evaluate("globalThis.sluice")) as Awaited<ReturnType<typeof hitsInBrowser>> & {
      error?: string;
    };
    expect(answer.error).toBeUndefined();
    return answer;
  } finally {
    await browser.close();
    server.close();
  }
}

describe.skipIf(missing)("a browser's WebGPU", () => {
  test("gives the hits that Node's gives", async () => {
    const device = found as Device;
    const inNode = await searchSample(device);
    device.close();
    const { adapter, hits } = await hitsInBrowser();
    expect(adapter).not.toBe("");
    expect(hits.length).toBe(inNode.length);
    for (const [i, { docs, scores }] of hits.entries()) {
      expect(docs).toEqual(inNode[i].docs);
      for (const [j, score] of scores.entries()) expect(score).toBeCloseTo(inNode[i].scores[j], 4);
    }
  });
});
