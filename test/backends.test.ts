// An index in a folder and one in memory do the same. test/opensearch/cluster.test.ts asks the same of a cluster.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { Sluice } from "../src/index.ts";
import { testBackend } from "./helpers/backend-suite.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-backends-"));
let count = 0;

describe("a folder", () => testBackend((options) => Sluice.open(join(root, String(count++)), options)));

describe("memory", () => testBackend(({ bufferBytes: _, ...options }) => Sluice.build([], options)));
