// Names on a cluster that others took.

import { expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";

const documents = [{ id: "a", text: "boats in a canal" }];

/** Asks the node of an address, of which the last part is the name of an index. */
async function ask(address: string, method: string, path = "", body?: object): Promise<unknown> {
  const [, host, name] = /^opensearch:\/\/([^,/]+)[^/]*\/(.*)$/.exec(address)!;
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://${host}/${name}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

export function testNames(addressOf: (name: string) => string): void {
  test.each(["1", "commit"])("an index of somebody else with a document %s stays as it is", async (id) => {
    const address = addressOf(`foreign-${id}`);
    await ask(address, "PUT", `/_doc/${id}?refresh`, { a: 1 });
    const before = await ask(address, "GET", "/_mapping");
    const refused = { code: "ERR_SLUICE_INDEX_EXISTS", hint: "choose another name" };
    for (const overwrite of [false, true])
      await expect(Sluice.open(address, { overwrite, encoder: "none" })).rejects.toMatchObject(refused);
    const built = await Sluice.build(documents, { encoder: "none" });
    await expect(built.save(address, { overwrite: true })).rejects.toMatchObject(refused);
    await expect(Sluice.drop(address)).rejects.toMatchObject(refused);
    expect(await Sluice.exists(address)).toBe(false);
    expect(await ask(address, "GET", "/_mapping")).toEqual(before);
    expect(await ask(address, "GET", "/_count")).toMatchObject({ count: 1 });
    await ask(address, "DELETE");
  });

  test("documents go to the next number that is free", async () => {
    const address = addressOf("numbers");
    await ask(`${address}-1`, "PUT");
    await ask(`${address}-2`, "PUT", "/_doc/1", { a: 1 });
    const index = await Sluice.open(address, { encoder: "none" });
    await index.upsert(documents);
    await index.commit();
    expect((await index.search("canal")).hits).toMatchObject([{ id: "a" }]);
    expect(await ask(address, "GET", "/_doc/commit")).toMatchObject({
      _source: { generation: 1, documents: expect.stringMatching(/-3$/) },
    });
    await expect(Sluice.open(`${address}-3`)).rejects.toThrow("holds the documents of another index");
    await index.close();
    await Sluice.drop(address);
    expect(await ask(`${address}-2`, "GET", "/_doc/1")).toMatchObject({ found: true });
    for (const number of [1, 2]) await ask(`${address}-${number}`, "DELETE");
  }, 300_000);
}
