// An index on a cluster of three nodes: it does what one in a folder does, and survives killed nodes and killed writers. One
// file, because starting a cluster takes a while.

import { afterAll, beforeAll, describe } from "vitest";
import { Sluice } from "../../src/index.ts";
import { testBackend } from "../helpers/backend-suite.ts";
import { noData } from "../helpers/data.ts";
import { reasonForNoCluster, TestCluster } from "../helpers/test-cluster.ts";
import { testCollections } from "./collection-suite.ts";
import { testCopies } from "./copy-suite.ts";
import { testFaults } from "./fault-suite.ts";
import { testNames } from "./name-suite.ts";

const reason = reasonForNoCluster();
if (reason) console.log(`the tests of a cluster are skipped: ${reason}`);
const running = process.env.SLUICE_OPENSEARCH?.startsWith("opensearch")
  ? process.env.SLUICE_OPENSEARCH
  : undefined;
if (running) console.log("the tests that kill nodes are skipped: the cluster is not ours");
/** Nodes that were just started are slow, and more so on a busy machine. */
const SLOW_MS = 900_000;
const started = Date.now();

describe.skipIf(reason)("a cluster", { timeout: SLOW_MS }, () => {
  let cluster: TestCluster | undefined;
  let count = 0;
  const addressOf = (name: string) =>
    cluster?.address(`${name}-${started}`) ?? `${running}/${name}-${started}`;
  beforeAll(async () => {
    if (!running) cluster = await TestCluster.start();
  }, SLOW_MS);
  afterAll(() => cluster?.stop());

  describe("fulfills the contract", () =>
    testBackend((options) => Sluice.open(addressOf(`suite-${count++}`), options)));
  describe("names", () => testNames(addressOf));
  describe("copies", () => testCopies(addressOf));
  describe.skipIf(noData)("collections", () => testCollections(addressOf));
  describe.skipIf(running)("faults", () => {
    beforeAll(() => cluster!.clear(), SLOW_MS); // a node that comes back has fewer shards to copy
    testFaults(() => cluster!);
  });
});
