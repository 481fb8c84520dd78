import { expect, test } from "vitest";
import { zipBytes } from "../../../../test/helpers/zip.ts";
import { readZip } from "./zip.ts";

const FILES = [
  { name: "a/", content: "", method: 0 },
  { name: "a/stored.txt", content: "water", method: 0 },
  { name: "deflated.txt", content: "gate ".repeat(1000), method: 8 },
];

test("files are unpacked by name", () => {
  const found = readZip(Buffer.concat([zipBytes(FILES)]), "x.zip");
  expect([...found.keys()]).toEqual(["a/stored.txt", "deflated.txt"]);
  expect(new TextDecoder().decode(found.get("a/stored.txt")!())).toBe("water");
  expect(new TextDecoder().decode(found.get("deflated.txt")!())).toBe(FILES[2].content);
});

test("what is not an archive, or is damaged, is one clear error", () => {
  const whole = zipBytes(FILES);
  expect(() => readZip(Buffer.from("no archive"), "x.zip")).toThrow("x.zip: no table of contents");
  expect(() => readZip(whole.subarray(0, -30), "x.zip")).toThrow("no table of contents");
  const shifted = Buffer.from(whole);
  shifted.writeUInt32LE(3, whole.length - 6);
  expect(() => readZip(shifted, "x.zip")).toThrow("the table of contents is damaged");
  const broken = Buffer.from(whole);
  broken.fill(255, whole.indexOf("deflated.txt") + 12, whole.indexOf("deflated.txt") + 20);
  expect(() => readZip(broken, "x.zip").get("deflated.txt")!()).toThrow("cannot be unpacked");
  const other = zipBytes([{ name: "a", content: "b", method: 12 }]);
  expect(() => readZip(other, "x.zip").get("a")!()).toThrow("method 12");
});
