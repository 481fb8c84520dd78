import { expect, test } from "vitest";
import { z } from "zod";
import { searchRequestSchema } from "../../schemas/requests/search-requests.ts";
import { HttpError, parseRequest } from "./http-errors.ts";

test("a request with very many wrong parts is refused before all of them are looked at", () => {
  let looked = 0;
  const none = z.custom(() => {
    looked++;
    return false;
  });
  const schema = z.strictObject({ list: z.array(z.union([z.strictObject({ none }), none])) });
  const list = Array.from({ length: 100_000 }, () => ({ none: 1 }));
  const check = () => parseRequest(schema, { list }, "body");
  expect(check).toThrow(HttpError);
  expect(check).toThrow("body.list.0");
  expect(looked).toBeLessThan(10_000);
});

test("what is wrong is said even if the first parts are right", () => {
  const schema = z.strictObject({ list: z.array(z.union([z.number(), z.boolean()])) });
  const list = [...Array.from({ length: 20 }, () => 1), ...Array.from({ length: 5000 }, () => "x")];
  expect(() => parseRequest(schema, { list }, "body")).toThrow("body: more than 1000 of its parts are wrong");
});

test("a filter is refused in the words of the library, and before the schema walks it", () => {
  let looked = 0;
  const part = new Proxy(
    { x: 1 },
    { ownKeys: (object) => [looked++, Reflect.ownKeys(object)][1] as string[] },
  );
  const filter = { or: Array.from({ length: 100_000 }, () => part) };
  const check = () => parseRequest(searchRequestSchema, { query: "water", filter }, "body");
  expect(check).toThrow("a filter has at most 10,000 conditions");
  expect(looked).toBeLessThanOrEqual(10_000);
});
