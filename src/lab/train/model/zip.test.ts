import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { readZip } from "./zip.ts";

/** An archive with these files, each stored or deflated. */
function archive(files: readonly { name: string; text: string; method: number }[]): Buffer {
  const [parts, entries]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const { name, text, method } of files) {
    const packed = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(at, 42);
    parts.push(local, Buffer.from(name), packed);
    entries.push(entry, Buffer.from(name));
    at += 30 + name.length + packed.length;
  }
  const table = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, table, end]);
}

const FILES = [
  { name: "a/", text: "", method: 0 },
  { name: "a/stored.txt", text: "water", method: 0 },
  { name: "deflated.txt", text: "gate ".repeat(1000), method: 8 },
];

test("files are unpacked by name", () => {
  const found = readZip(Buffer.concat([archive(FILES)]), "x.zip");
  expect([...found.keys()]).toEqual(["a/stored.txt", "deflated.txt"]);
  expect(new TextDecoder().decode(found.get("a/stored.txt")!())).toBe("water");
  expect(new TextDecoder().decode(found.get("deflated.txt")!())).toBe(FILES[2].text);
});

test("what is not an archive, or is damaged, is one clear error", () => {
  const whole = archive(FILES);
  expect(() => readZip(Buffer.from("no archive"), "x.zip")).toThrow("x.zip: no table of contents");
  expect(() => readZip(whole.subarray(0, -30), "x.zip")).toThrow("no table of contents");
  const shifted = Buffer.from(whole);
  shifted.writeUInt32LE(3, whole.length - 6);
  expect(() => readZip(shifted, "x.zip")).toThrow("the table of contents is damaged");
  const broken = Buffer.from(whole);
  broken.fill(255, whole.indexOf("deflated.txt") + 12, whole.indexOf("deflated.txt") + 20);
  expect(() => readZip(broken, "x.zip").get("deflated.txt")!()).toThrow("cannot be unpacked");
  const other = archive([{ name: "a", text: "b", method: 12 }]);
  expect(() => readZip(other, "x.zip").get("a")!()).toThrow("method 12");
});
