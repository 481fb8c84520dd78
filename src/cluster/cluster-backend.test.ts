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
