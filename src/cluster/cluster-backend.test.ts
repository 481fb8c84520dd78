import { expect, test } from "vitest";
import type { SearchOptions } from "../search/options/search-options.ts";
import { ClusterBackend } from "./cluster-backend.ts";

const open = (readOnly: boolean) => {
  const index = { connection: { address: { text: "opensearch://host/x" }, close: async () => {} } };
  const preparer = { close: async () => {} };
  return new ClusterBackend(index as never, preparer as never, { close: async () => {} } as never, {
    readOnly,
    newIndex: undefined as never,
  });
};

test("a cluster has no lock: lock refuses only who may not write", async () => {
  const backend = open(false);
  await backend.lock();
  expect(backend.hasLock).toBe(false);
  await expect(open(true).lock()).rejects.toMatchObject({ code: "ERR_SLUICE_READ_ONLY" });
  await backend.close();
  await expect(backend.lock()).rejects.toMatchObject({ code: "ERR_SLUICE_CLOSED" });
});

test.each<[SearchOptions["plan"], string]>([
  ["quantized", '"quantized"'],
  [{ kind: "inner-product" }, '"inner-product"'],
  ["pruned" as never, '"pruned" without theta or mass'],
  [{ kind: "pruned", theta: 0.3, rescore: false }, '"pruned" without rescoring'],
])("a plan that a cluster has not is refused, and the hint names what it has: %j", async (plan, message) => {
  const backend = open(true);
  await expect(backend.search(["gate"], { plan }, "search")).rejects.toMatchObject({
    problem: `an index on a cluster has no plan ${message}`,
    hint: 'use "auto", "exact", or "pruned" with theta or mass: { "kind": "pruned", "theta": 0.3 }',
  });
  await backend.close();
});

test("options that are no object are an error that says so", async () => {
  const backend = open(true);
  await expect(backend.search(["gate"], null as never, "search")).rejects.toMatchObject({
    problem: expect.stringContaining("null"),
  });
  await backend.close();
});
