// A header whose checksum matches and that says what no writer writes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { assembled } from "../../../test/fuzz/contract/container-file.ts";
import { Container } from "./container.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-container-"));
const path = join(folder, "any.sluice");
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a file with this header and four bytes of sections. */
function open(header: unknown): Container {
  const json = typeof header === "string" ? header : JSON.stringify(header);
  writeFileSync(path, assembled(new Uint8Array([...new TextEncoder().encode(json), 0, 1, 2, 3, 4])));
  return Container.open(path);
}

const section = { name: "a", type: "u32", offset: 0, bytes: 4 };

test("a header as it is written is read", async () => {
  const container = open({ kind: "x", sections: [section] });
  expect([...(await container.loadSection("a"))]).toEqual([0x04030201]);
  expect(container.meta).toEqual({ kind: "x" });
  container.close();
});

test.each([
  ["{", "its header is not JSON"],
  ["[]", "its header is not an object"],
  [{}, "its header has no list of sections"],
  [{ sections: [null] }, "its header has a section that cannot be: null"],
  [{ sections: [{ ...section, type: "u64" }] }, "a section that cannot be"],
  [{ sections: [{ ...section, type: "toString" }] }, "a section that cannot be"],
  [{ sections: [{ ...section, bytes: 3 }] }, "a section that cannot be"],
  [{ sections: [{ ...section, offset: -64 }] }, "a section that cannot be"],
  [{ sections: [{ ...section, bytes: 1e300 }] }, "a section that cannot be"],
  [{ sections: [{ ...section, bytes: 0 }, section] }, "its header names a section twice"],
])("the header %j is refused", (header, message) => {
  expect(() => open(header)).toThrow(message);
});
