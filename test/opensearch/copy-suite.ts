// Indexes go to a cluster and come back, by the library and by the command line, and a server answers from one.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Sluice } from "../../src/index.ts";
import { createServer } from "../../src/server/index.ts";
import { roundToFloat16 } from "../../src/support/numbers/float16.ts";
import { madeDocuments } from "../helpers/backend-suite.ts";
import { commandLine } from "../helpers/command-line.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-copies-"));

/** Hits and scores of a few queries. */
async function scoresOf(index: Sluice, vector?: readonly number[]) {
  const answers = await index.searchAll(
    ["boat canal", "heart", "東京 ночь"].map((text) => (vector ? { text, vector } : text)),
    { k: 30 },
  );
  return answers.map(({ hits }) => hits.map(({ id, score, document }) => ({ id, score, document })));
}

export function testCopies(addressOf: (name: string) => string): void {
  test("push copies rows, goes on after an interruption, and pull brings them back", async () => {
    const folder = join(root, "pushed");
    const index = await Sluice.open(folder, { encoder: "none", lambda: 2 });
    for (const seed of [1, 2, 3]) {
      await index.add(madeDocuments(4000, seed, 3, 10_000 * seed));
      await index.commit();
    }
    await index.delete(["d10001", "d20002"]);
    await index.commit();
    const vector = [0.3, -0.2, 0.1];
    const expected = await scoresOf(index, vector);
    const address = addressOf("pushed");

    const stop = new AbortController();
    const stopped = index.save(address, {
      signal: stop.signal,
      onProgress: ({ done }) => done >= 4000 && stop.abort(new Error("enough")),
    });
    await expect(stopped).rejects.toThrow("enough");
    expect(await Sluice.exists(address)).toBe(false);
    await index.save(address);
    await expect(index.save(address)).rejects.toMatchObject({ code: "ERR_SLUICE_INDEX_EXISTS" });

    const cluster = await Sluice.open(address);
    expect(cluster.size).toBe(index.size);
    expect(await scoresOf(cluster, vector)).toEqual(expected);
    expect(await cluster.listIds()).toEqual(await index.listIds());
    expect((await Sluice.verify(address)).problems).toEqual([]);
    const deep = { k: 3, offset: 11_500 };
    const [here, there] = [await index.search({ vector }, deep), await cluster.search({ vector }, deep)];
    expect(there.hits.map(({ id, score }) => ({ id, score }))).toEqual(
      here.hits.map(({ id, score }) => ({ id, score })),
    );
    expect(there.hits.length).toBe(3);

    await index.optimize();
    const pulled = join(root, "pulled");
    await cluster.save(pulled);
    await expect(cluster.save(pulled)).rejects.toMatchObject({ code: "ERR_SLUICE_INDEX_EXISTS" });
    const back = await Sluice.open(pulled);
    expect(await scoresOf(back, vector)).toEqual(await scoresOf(index, vector));
    expect((await Sluice.verify(pulled)).problems).toEqual([]);
    await back.add([{ id: "new", text: "an unheard-of word", vector }]);
    await back.commit();
    for (const each of [back, cluster, index]) await each.close();
  });

  test("an index is dropped with all that it has on the cluster, and another can be made", async () => {
    const address = addressOf("dropped");
    await expect(Sluice.drop(address)).rejects.toMatchObject({ code: "ERR_SLUICE_NO_INDEX" });
    for (const round of [1, 2]) {
      const index = await Sluice.open(address, { encoder: "none" });
      expect(index.size).toBe(0);
      await index.add(madeDocuments(30, round, 3));
      await index.commit();
      await index.close();
      await Sluice.drop(address);
      expect(await Sluice.exists(address)).toBe(false);
    }
    const [, hosts, name] = /^opensearch:\/\/([^/]+)\/(.+)$/.exec(address)!;
    const left = await fetch(`http://${hosts.split(",")[0]}/_cat/indices/${name}-*?format=json`);
    expect(await left.json()).toEqual([]);
  });

  test("the command line takes addresses", async () => {
    const address = addressOf("commands");
    const lines = madeDocuments(50, 4)
      .map((document) => JSON.stringify(document))
      .join("\n");
    const run = async (...argv: string[]) => {
      const { status, out, err } = await commandLine(argv, { input: lines });
      expect(status, err).toBe(0);
      return out;
    };
    await run("index", address, "-", "--encoder", "none");
    await run("add", address, "-", "--upsert");
    const hits = JSON.parse(await run("search", address, "boat canal", "--json"));
    expect(hits.hits.length).toBe(10);
    expect(await run("explain", address, "boat canal", hits.hits[0].id)).toContain("boat");
    expect(await run("info", address)).toMatch(/documents +50/);
    expect(await run("verify", address)).toContain("no problems");
    const folder = join(root, "command");
    await run("pull", address, folder);
    await run("push", folder, addressOf("commands-again"));
    const again = JSON.parse(await run("search", addressOf("commands-again"), "boat canal", "--json"));
    expect(again.hits).toEqual(JSON.parse(await run("search", folder, "boat canal", "--json")).hits);
    await run("optimize", address);
    await run("delete", address, "d0", "d1");
    expect(await run("info", address)).toMatch(/documents +48/);
  });

  test("two servers over one index see each other's changes", async () => {
    const address = addressOf("served");
    const apps: { index: Sluice; app: ReturnType<typeof createServer> }[] = [];
    for (const _ of [1, 2]) {
      const index = await Sluice.open(address, { encoder: "none" });
      if (index.size === 0) {
        await index.add(madeDocuments(20, 5));
        await index.commit();
      }
      apps.push({ index, app: createServer({ papers: index }, { refreshMs: 100 }) });
    }
    const ask = (app: ReturnType<typeof createServer>, path: string, body: object) =>
      app.fetch(
        new Request(`http://127.0.0.1${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    const [first, second] = apps;
    for (const [one, other, id] of [
      [first, second, "one"],
      [second, first, "two"],
    ] as const) {
      const added = await ask(one.app, "/v1/indexes/papers/documents", {
        documents: [{ id, text: `zebra ${id}` }],
      });
      expect(added.status).toBeLessThan(300);
      for (let tries = 0; ; tries++) {
        const answer = await ask(other.app, "/v1/indexes/papers/search", { query: id });
        const { hits } = (await answer.json()) as { hits: { id: string }[] };
        if (hits.some((hit) => hit.id === id)) break;
        expect(tries, "the other server never saw it").toBeLessThan(300);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    for (const { index, app } of apps) {
      await app.close();
      await index.close();
    }
  });

  test("a writer that another one overtook gets an error, and its changes are nowhere", async () => {
    const address = addressOf("overtaken");
    const options = { encoder: "none", bufferBytes: 1 } as const;
    const [one, other] = [await Sluice.open(address, options), await Sluice.open(address, options)];
    await one.add([{ id: "a", text: "boat" }]);
    await one.commit();
    await other.refresh();
    await one.upsert([
      { id: "a", text: "canal" },
      { id: "b", text: "canal" },
    ]);
    await other.upsert([
      { id: "a", text: "river" },
      { id: "c", text: "river" },
    ]);
    await other.commit();
    await expect(one.commit()).rejects.toMatchObject({ code: "ERR_SLUICE_CONFLICT" });
    await one.rollback();
    await one.add([{ id: "d", text: "lock" }]);
    await one.commit();
    const reader = await Sluice.open(address, { readOnly: true });
    for (const index of [one, reader]) {
      expect(await index.listIds()).toEqual(["a", "c", "d"]);
      expect((await index.search("canal boat")).hits).toEqual([]);
      expect((await index.search("river")).hits.length).toBe(2);
    }
    expect((await Sluice.verify(address)).problems).toEqual([]);
    for (const index of [one, other, reader]) await index.close();
  });

  test("plain OpenSearch gives the same scores, by the query of the guide", async () => {
    const address = addressOf("plain");
    const index = await Sluice.open(address, { encoder: "none", lambda: 2 });
    await index.add(madeDocuments(60, 6, 3));
    await index.commit();
    await index.delete(["d3", "d4"]);
    await index.commit();
    const [, node, name] = /^opensearch:\/\/([^,/]+).*\/(.+)$/.exec(address)!;
    const ask = async (path: string, body?: object) => {
      const more = body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return (await fetch(`http://${node}/${path}`, more)).json() as Promise<never>;
    };
    interface Commit {
      _source: {
        documents: string;
        generation: number;
        weightScale: number;
        lambda: number;
        longestVector: number;
      };
    }
    const { _source: commit }: Commit = await ask(`${name}/_doc/commit`);
    const { documents, generation, weightScale, lambda, longestVector } = commit;
    const alive = {
      filter: [{ range: { born: { lte: generation } } }],
      must_not: [{ range: { died: { lte: generation } } }],
    };
    const count = async (more: object[]) => {
      const { count }: { count: number } = await ask(`${documents}/_count`, {
        query: { bool: { ...alive, filter: [...alive.filter, ...more] } },
      });
      return count;
    };
    const [N, vector] = [await count([]), [0.25, -0.5, 0.125]];
    const should: object[] = [];
    for (const value of ["boat", "canal"]) {
      const n = await count([{ term: { terms: value } }]);
      const weight = roundToFloat16(Math.log(1 + (N - n + 0.5) / (n + 0.5)));
      should.push({ term: { terms: { value, boost: weight / weightScale } } });
    }
    const C = 1.01 * lambda * Math.hypot(...vector) * longestVector;
    const params = {
      field: "vector",
      space_type: "innerproduct",
      query_value: [...vector.map((x) => lambda * x), C],
    };
    should.push({
      script_score: { query: { match_all: {} }, script: { lang: "knn", source: "knn_score", params } },
    });
    interface Found {
      hits: { hits: { _score: number; _source: { id: string } }[] };
    }
    const { hits: found }: Found = await ask(`${documents}/_search?allow_partial_search_results=false`, {
      size: 20,
      query: { bool: { ...alive, should } },
    });
    const { hits } = await index.search({ text: "boat canal", vector }, { k: 20 });
    expect(found.hits.map(({ _source }) => _source.id)).toEqual(hits.map(({ id }) => id));
    for (const [i, { _score }] of found.hits.entries()) expect(_score - C - 1).toBeCloseTo(hits[i].score, 4);
    await index.close();
  });
}
