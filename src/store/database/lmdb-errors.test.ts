import { expect, test } from "vitest";
import { databaseError } from "./lmdb-errors.ts";

const lmdb = (code: number, message: string) => Object.assign(new Error(message), { code });

test.each([
  [4, "Interrupted system call", "ERR_SLUICE_FILE"],
  [22, "Invalid argument", "ERR_SLUICE_FILE"],
  [30, "Read-only file system", "ERR_SLUICE_FILE"],
  [-30_796, "MDB_CORRUPTED", "ERR_SLUICE_DAMAGED"],
  [-30_795, "MDB_PANIC", "ERR_SLUICE_FILE"],
])("the number %i of LMDB names the file", (code, message, expected) => {
  expect(databaseError(lmdb(code, message), "here/index.mdb")).toMatchObject({
    code: expected,
    message: expect.stringContaining("here/index.mdb"),
  });
});

test("what is no error of the database stays what it is", () => {
  const error = new TypeError("a bug");
  expect(databaseError(error, "here/index.mdb")).toBe(error);
});
