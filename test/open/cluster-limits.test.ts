// Refusals that need no cluster: nothing listens at the address, so a call that asked for a connection would fail with another
// code.

import { existsSync, mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ClusterOptions, type OpenOptions, Sluice } from "../../src/index.ts";

const ADDRESS = "opensearch://127.0.0.1:9/papers";
const documents = Array.from({ length: 40 }, (_, i) => ({ id: `d${i}`, text: `boats number ${i}` }));

describe("options of an index on a cluster that are refused before it is asked", () => {
  test.each<[OpenOptions, string]>([
    [{ positions: true }, "does not keep positions; leave out the option positions"],
    [{ fieldWeights: { title: 2 } }, "has no fieldWeights; leave out the option fieldWeights"],
    [{ quantize: {} }, "has no product codes; leave out the option quantize"],
    [{ quantize: { parts: 8 } }, "has no product codes"],
    [
      { kernel: "webgpu" },
      "not searched on a GPU: its nodes find the candidates; leave out the option kernel",
    ],
    [{ gpu: {} }, "leave out the option gpu"],
    [{ threads: 4 }, "leave out the option threads"],
    [{ maxRowBytes: 1e6 }, "leave out the option maxRowBytes"],
  ])("%j", async (options, message) => {
    const [option] = Object.keys(options);
    await expect(Sluice.open(ADDRESS, options)).rejects.toThrow(message);
    await expect(Sluice.open(ADDRESS, options)).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID", option });
  });

  test("what they are anyway is not refused: the cluster is asked", async () => {
    const same = { positions: false, kernel: "wasm", threads: 1, cluster: { patienceMs: 0 } } as const;
    for (const options of [same, { ...same, kernel: "auto" as const, quantize: undefined }]) {
      await expect(Sluice.open(ADDRESS, options)).rejects.toMatchObject({ code: "ERR_SLUICE_CLUSTER" });
    }
  });
});

describe("an index that a copy on a cluster would make less of is not copied", () => {
  test.each<[string, OpenOptions]>([
    ["positions", { positions: true }],
    ["fieldWeights", { fieldWeights: { text: 1 } }],
    ["quantize", { quantize: { parts: 2 } }],
  ])("%s", async (option, options) => {
    const built = await Sluice.build(documents, { ...options, encoder: "none" });
    const folder = join(mkdtempSync(join(tmpdir(), "sluice-copy-")), "index");
    await built.save(folder);
    const opened = await Sluice.open(folder, { readOnly: true });
    for (const index of [built, opened]) {
      await expect(index.save(ADDRESS)).rejects.toMatchObject({
        code: "ERR_SLUICE_INVALID",
        option,
        hint: `build the index again without ${option}, and copy that one`,
      });
      await index.close();
    }
  });
});

test("options of a cluster are refused for a folder, and a certificate without https", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "sluice-no-cluster-")), "index");
  const index = await Sluice.build(documents, { encoder: "none" });
  const callsOf = (location: string, cluster: ClusterOptions) => [
    () => Sluice.open(location, { cluster }),
    () => Sluice.exists(location, { cluster }),
    () => Sluice.drop(location, { cluster }),
    () => Sluice.verify(location, { cluster }),
    () => index.save(location, { cluster }),
  ];
  for (const call of callsOf(folder, { shards: 2 })) {
    await expect(call()).rejects.toMatchObject({
      code: "ERR_SLUICE_INVALID",
      option: "cluster",
      problem: `the option cluster is for an index on a cluster, and ${folder} is a folder`,
    });
  }
  for (const call of callsOf(ADDRESS, { ca: "PEM" })) {
    await expect(call()).rejects.toMatchObject({ code: "ERR_SLUICE_INVALID", option: "cluster.ca" });
  }
  expect(existsSync(folder)).toBe(false);
  await index.close();
});

test("https to a node that speaks http is refused at once, with the address to give", async () => {
  const server = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const rest = `://127.0.0.1:${(server.address() as AddressInfo).port}/papers`;
  const asked = Sluice.exists(`opensearchs${rest}`, { cluster: { patienceMs: 3_600_000 } });
  await expect(asked).rejects.toMatchObject({
    code: "ERR_SLUICE_CLUSTER",
    problem: `opensearchs${rest}: a node speaks http and not https`,
    hint: `give opensearch${rest}`,
  });
  server.close();
});

test("credentials are options of every call that takes an address, and are checked before it is asked", async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(404, { "content-type": "application/json" }).end('{"found": false}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `opensearch://127.0.0.1:${(server.address() as AddressInfo).port}/papers`;
  const basic = { auth: { username: "me", password: "secret" }, patienceMs: 0 };
  const bearer = { headers: { Authorization: "Bearer key" }, patienceMs: 0 };
  expect(await Sluice.exists(address, { cluster: basic })).toBe(false);
  expect(seen.splice(0)).toEqual([`Basic ${btoa("me:secret")}`]);
  expect(await Sluice.exists(address, { cluster: bearer })).toBe(false);
  await expect(Sluice.drop(address, { cluster: bearer })).rejects.toMatchObject({
    code: "ERR_SLUICE_NO_INDEX",
  });
  await expect(Sluice.verify(address, { cluster: bearer })).rejects.toThrow("there is no index");
  await expect(Sluice.open(address, { readOnly: true, cluster: bearer })).rejects.toThrow(
    "there is no index",
  );
  const index = await Sluice.build(documents, { encoder: "none" });
  await expect(index.save(address, { cluster: bearer })).rejects.toMatchObject({
    code: "ERR_SLUICE_CLUSTER",
  });
  expect(new Set(seen)).toEqual(new Set(["Bearer key"]));
  seen.length = 0;
  for (const [cluster, message] of [
    [{ auth: { username: "me" } }, "cluster.auth.password must be"],
    [{ auth: { user: "me" } }, 'cluster.auth has no option "user"; did you mean "username"?'],
    [{ headers: { a: 1 } }, "cluster.headers.a must be"],
    [{ ca: 5 }, "cluster.ca must be"],
  ] as [ClusterOptions, string][]) {
    for (const call of [
      () => Sluice.open(address, { cluster }),
      () => Sluice.exists(address, { cluster }),
      () => Sluice.drop(address, { cluster }),
      () => Sluice.verify(address, { cluster }),
      () => index.save(address, { cluster }),
    ])
      await expect(call()).rejects.toThrow(message);
  }
  expect(seen).toEqual([]);
  await index.close();
  server.close();
});
