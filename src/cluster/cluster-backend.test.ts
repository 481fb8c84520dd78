import { expect, test } from "vitest";
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

test("options that are no object are an error that says so", async () => {
  const backend = open(true);
  await expect(backend.search(["gate"], null as never, "search")).rejects.toMatchObject({
    problem: expect.stringContaining("null"),
  });
  await backend.close();
});
