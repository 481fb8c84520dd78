// Indexes go to a cluster and come back, by the library and by the command line, and a server answers from one.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Sluice } from "../../src/index.ts";
import { createServer } from "../../src/server/index.ts";
import { roundToFloat16 } from "../../src/support/numbers/float16.ts";
import { madeDocuments } from "../helpers/backend-suite.ts";
import { selfSigned } from "../helpers/certificate.ts";
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

interface Detour {
  /** Whether a request is answered with a status, and not sent on. */
  readonly refuse: (request: IncomingMessage) => number | undefined;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** The address of a server that sends requests on to a node, except those that it refuses. */
async function detour(address: string, { refuse, tls }: Detour): Promise<string> {
  const [, node, name] = /^opensearch:\/\/([^,/]+).*\/(.+)$/.exec(address)!;
  const sendOn: RequestListener = (request, response) => {
    const refused = refuse(request);
    if (refused !== undefined) {
      response.writeHead(refused).end();
      return;
    }
    const { method, url, headers } = request;
    const sent = httpRequest(`http://${node}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(sent);
  };
  const server = tls ? createHttpsServer(tls, sendOn) : createHttpServer(sendOn);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return `opensearch${tls ? "s" : ""}://127.0.0.1:${port}/${name}`;
}

/** The query of the guide. */
interface DocumentedBool {
  readonly filter: readonly object[];
  readonly must_not: readonly object[];
  readonly should: readonly {
    readonly term?: { readonly terms: { readonly value: string; boost: number } };
    readonly script_score?: {
      readonly query: object;
      readonly script: { readonly params: { query_value: readonly number[] } };
    };
  }[];
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
    expect(cluster.docs).toBe(index.docs);
    expect(await scoresOf(cluster, vector)).toEqual(expected);
    expect(await cluster.listIds()).toEqual(await index.listIds());
    const some = ["d10000", "d20000", "d33999"]; // with their fields in the same order
    expect(JSON.stringify(await cluster.documents(some))).toBe(JSON.stringify(await index.documents(some)));
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
      expect(index.docs).toBe(0);
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
    const info = await run("info", address);
    expect(info).toMatch(/documents +50/);
    expect(info).not.toContain("0 B"); // its rows are on the cluster
    expect(await run("verify", address)).toMatch(/no problems; 50 documents, /);
    expect(JSON.parse(await run("get", address, "d7")).id).toBe("d7");
    expect(await run("list", address, "--limit", "3")).toMatch(/^(\{.*\}\n){3}/);
    expect(await run("fields", address)).toMatch(/year +\d+ documents/);
    expect(await run("explain-query", address, "boat canal")).toMatch(/boat .*kept/);
    expect(await run("suggest", address, "cana")).toContain("canal");
    const folder = join(root, "command");
    const pulled = JSON.parse(await run("pull", address, folder, "--json"));
    expect(pulled).toMatchObject({ location: folder, docs: 50, generation: expect.any(Number) });
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
      if (index.docs === 0) {
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
      const idsOfHits = async () => {
        const answer = await ask(other.app, "/v1/indexes/papers/search", { query: id });
        const { hits } = (await answer.json()) as { hits: { id: string }[] };
        return hits.map((hit) => hit.id);
      };
      await expect
        .poll(idsOfHits, { timeout: 30_000, message: "the other server never saw it" })
        .toContain(id);
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

  test("of writers that commit at the same time one wins, and no document is there twice", async () => {
    const address = addressOf("at-once");
    const options = { encoder: "none", bufferBytes: 1 } as const;
    const writers = await Promise.all([1, 2, 3].map(() => Sluice.open(address, options)));
    const ids = ["a", "b", "c", "d", "e"];
    const idsOf = (round: number, writer: number) => ids.slice(0, 2 + ((round + writer) % 4));
    let won = -1;
    for (let round = 0; round < 12; round++) {
      const outcomes = await Promise.allSettled(
        writers.map(async (index, writer) => {
          await index.refresh();
          await index.upsert(idsOf(round, writer).map((id) => ({ id, text: "boat", round, writer })));
          await index.commit();
        }),
      );
      const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []));
      expect(winners.length, `round ${round}`).toBeGreaterThan(0);
      for (const [writer, outcome] of outcomes.entries()) {
        if (outcome.status === "fulfilled") continue;
        expect(outcome.reason).toMatchObject({ code: "ERR_SLUICE_CONFLICT" });
        await writers[writer].rollback();
      }
      const reader = await Sluice.open(address, { readOnly: true });
      const { hits } = await reader.search("boat", { k: 100 });
      expect(hits.map(({ id }) => id).sort()).toEqual([...(await reader.listIds())].sort());
      expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
      // Nothing of a loser is there.
      for (const { document } of hits) {
        if (document.round === round) expect(winners).toContain(document.writer);
      }
      won = winners[0];
      for (const id of idsOf(round, won)) expect((await reader.document(id)).round).toBe(round);
      await reader.close();
    }
    expect((await Sluice.verify(address)).problems).toEqual([]);
    for (const index of writers) await index.close();
  });

  test("what a writer noted and never committed does not refuse the next one", async () => {
    const address = addressOf("given-up");
    const index = await Sluice.open(address, { encoder: "none" });
    await index.add(["a", "b", "c"].map((id) => ({ id, text: "boat" })));
    await index.commit();
    // It gets as far as a writer that is killed when it has noted which versions die.
    const cut = await detour(address, { refuse: ({ url }) => (url!.includes("_refresh") ? 503 : undefined) });
    const givenUp = await Sluice.open(cut, { cluster: { patienceMs: 300 } });
    await givenUp.upsert([{ id: "a", text: "canal" }]);
    await givenUp.delete(["b"]);
    await expect(givenUp.commit()).rejects.toMatchObject({ code: "ERR_SLUICE_CLUSTER" });
    await givenUp.close();

    const reader = await Sluice.open(address, { readOnly: true });
    expect(await reader.listIds()).toEqual(["a", "b", "c"]);
    await index.upsert([{ id: "a", text: "river" }]);
    await index.delete(["c"]);
    await index.commit();
    await reader.refresh();
    expect(await reader.listIds()).toEqual(["b", "a"]);
    expect((await reader.search("boat river canal")).hits.map(({ id }) => id).sort()).toEqual(["a", "b"]);
    expect((await Sluice.verify(address)).problems).toEqual([]);
    for (const each of [index, reader]) await each.close();
  });

  test("https with certificates of one's own authority, and a password", async () => {
    const address = addressOf("guarded");
    const index = await Sluice.open(address, { encoder: "none" });
    await index.add([{ id: "a", text: "boat" }]);
    await index.commit();
    await index.close();
    const tls = selfSigned("a node");
    const wanted = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
    const refuse = ({ headers }: IncomingMessage) => (headers.authorization === wanted ? undefined : 401);
    const guarded = await detour(address, { refuse, tls });
    const open = () => Sluice.open(guarded, { readOnly: true, cluster: { patienceMs: 300 } });
    await expect(open()).rejects.toMatchObject({ code: "ERR_SLUICE_CLUSTER" });
    const file = join(root, "authority.pem");
    writeFileSync(file, tls.cert);
    vi.stubEnv("SLUICE_CLUSTER_CA", file);
    await expect(open()).rejects.toThrow("not allowed (401)");
    vi.stubEnv("SLUICE_CLUSTER_USER", "ada");
    vi.stubEnv("SLUICE_CLUSTER_PASSWORD", "secret");
    const opened = await open();
    expect((await opened.search("boat")).hits.map(({ id }) => id)).toEqual(["a"]);
    await opened.close();
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
    // The query as it is documented, with this index's numbers and weights in the place of the example's.
    const guide = readFileSync(new URL("../../docs/guides/cluster.md", import.meta.url), "utf8");
    const [, options, text] = /curl .*'localhost:9200\/papers-1\/_search\?(.*)' -d '([^']+)'/.exec(guide)!;
    const body = JSON.parse(text) as { query: { bool: DocumentedBool } };
    const { bool } = body.query;
    expect(bool.filter).toEqual([{ range: { born: { lte: 1 } } }]);
    expect(bool.must_not).toEqual([{ range: { died: { lte: 1 } } }]);
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
    const [boat, canal, meaning] = bool.should;
    expect(meaning.script_score!.query).toEqual({ match_all: {} });
    for (const clause of [boat, canal]) {
      const { terms } = clause.term!;
      const n = await count([{ term: { terms: terms.value } }]);
      terms.boost = roundToFloat16(Math.log(1 + (N - n + 0.5) / (n + 0.5))) / weightScale;
    }
    const C = 1.01 * lambda * Math.hypot(...vector) * longestVector;
    meaning.script_score!.script.params.query_value = [...vector.map((x) => lambda * x), C];
    Object.assign(bool, alive);
    interface Found {
      hits: { hits: { _score: number; _source: { id: string } }[] };
    }
    const { hits: found }: Found = await ask(`${documents}/_search?${options}`, { ...body, size: 20 });
    const { hits } = await index.search({ text: "boat canal", vector }, { k: 20 });
    expect(found.hits.map(({ _source }) => _source.id)).toEqual(hits.map(({ id }) => id));
    for (const [i, { _score }] of found.hits.entries()) expect(_score - C - 1).toBeCloseTo(hits[i].score, 4);
    await index.close();
  });
}
