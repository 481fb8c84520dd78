// A file of named arrays whose header may say anything. Input: the JSON of the header, a zero byte, and the sections. Checksums are
// made to match, so that what is behind them is reached.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Container } from "../../../src/segment/container/container.ts";
import { assembled, taken } from "../contract/container-file.ts";
import { newFolder } from "../contract/fixture.ts";
import { requireSame, type Target } from "../contract/target.ts";

const folder = newFolder();
const path = join(folder, "any.sluice");

export const target: Target = {
  name: "container",
  form: "json-head",
  seeds: () => [
    taken({ kind: "segment", docs: 3 }, { ids: Uint8Array.of(1, 2, 3), starts: Uint32Array.of(0, 1, 5) }),
    taken({}, { a: Float64Array.of(1), b: new Uint16Array(), c: Int8Array.of(-1) }),
    taken({ kind: "none" }, {}),
  ],
  async run(bytes) {
    writeFileSync(path, assembled(bytes));
    const container = Container.open(path);
    try {
      for (const name of container.names) {
        await container.verifySection(name);
        const array = await container.loadSection(name);
        requireSame(`bytes of ${name}`, array.byteLength, container.bytesOf(name));
        const copy = new Uint8Array(array.byteLength);
        await container.readInto(name, copy);
        container.forget(name);
        requireSame(`section ${name}`, [...container.sectionSync(name)], [...array]);
      }
    } finally {
      container.close();
    }
  },
  close: () => rmSync(folder, { recursive: true, force: true }),
};
