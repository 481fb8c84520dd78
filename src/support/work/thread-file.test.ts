import { afterEach, expect, test } from "vitest";
import { findThreadFile } from "./thread-file.ts";

const here = new URL(import.meta.url);
const { permission } = process as { permission?: unknown };
const setPermission = (value: unknown) =>
  Object.defineProperty(process, "permission", { value, configurable: true });

afterEach(() => void setPermission(permission));

test("a file that is there, and no other", () => {
  expect(findThreadFile(here)).toBe(here);
  expect(findThreadFile(new URL("./missing-thread.js", here))).toBeUndefined();
  expect(findThreadFile(new URL("https://example.com/thread.js"))).toBeUndefined();
});

test("none where Node may not start threads", () => {
  setPermission({ has: (scope: string) => scope !== "worker" });
  expect(findThreadFile(here)).toBeUndefined();
  setPermission({ has: () => true });
  expect(findThreadFile(here)).toBe(here);
});
