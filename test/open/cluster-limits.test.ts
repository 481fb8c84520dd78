// Refusals that need no cluster: nothing listens at the address, so a call that asked for a connection would fail with another code.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type OpenOptions, Sluice } from "../../src/index.ts";

const ADDRESS = "opensearch://127.0.0.1:9/papers";
const documents = Array.from({ length: 40 }, (_, i) => ({ id: `d${i}`, text: `boats number ${i}` }));

describe("options of an index on a cluster that are refused before it is asked", () => {
  test.each<[OpenOptions, string]>([
    [{ positions: true }, "does not keep positions; leave positions out"],
    [{ fieldWeights: { title: 2 } }, "has no fieldWeights; leave fieldWeights out"],
    [{ quantize: {} }, "has no product codes; leave quantize out"],
    [{ quantize: { parts: 8 } }, "has no product codes"],
    [{ kernel: "webgpu" }, "not searched on a GPU: its nodes find the candidates; leave kernel out"],
    [{ gpu: {} }, "leave gpu out"],
    [{ threads: 4 }, "leave threads out"],
    [{ maxRowBytes: 1e6 }, "leave maxRowBytes out"],
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
