import { expect, test } from "vitest";
import { sharedFolder } from "./shared-folder.ts";

test.each([
  [["docs/guides/server.md", "docs/guides/search.md"], "docs/guides/"],
  [["docs/guides/server.md", "docs/start.md"], "docs/"],
  [["a/b", "a/bc"], "a/"],
  [["a/b/", "a/b/c"], "a/b/"],
  [["server.md", "search.md"], ""],
  [["/a", "/b"], "/"],
  [["docs/only.md"], ""],
  [["a/b", true], ""],
  [[], ""],
])("%j share %j", (values, folder) => {
  expect(sharedFolder(values)).toBe(folder);
});
