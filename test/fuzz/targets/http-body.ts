// The body of a request to the server, sent to each path that reads an index. No answer is a 500, and every answer is JSON.

import { createServer } from "../../../src/server/index.ts";
import { smallIndex } from "../contract/fixture.ts";
import { type Target, WrongAnswer } from "../contract/target.ts";

const server = createServer({ docs: await smallIndex() }, { page: false, refreshMs: 0 });
/** What only reads. Changes would make later inputs depend on earlier ones. */
const PATHS = ["search", "search-all", "explain", "explain-query", "suggest"];

export const target: Target = {
  name: "http-body",
  form: "json",
  longest: 2048,
  seeds: () => [
    '{"query":"water gate","k":3,"filter":{"year":{"lt":1950}},"facets":["kind"],"lambda":0,"highlight":true}',
    '{"query":{"text":"lock","vector":[1,2,3,4]},"plan":{"kind":"pruned","mass":0.5},"syntax":true}',
    '{"query":"wter","typos":true,"sort":{"field":"year"},"groupBy":"kind","snippets":true,"match":"all","total":true,"boost":[{"field":"year","weight":1}]}',
    '{"queries":["water",{"text":"gate"}],"k":2,"minScore":0.1,"exclude":["d1"]}',
    '{"query":"water","id":"d1"}',
    '{"text":"wat","k":3}',
  ],
  async run(bytes) {
    for (const path of PATHS) {
      const request = new Request(`http://127.0.0.1/v1/indexes/docs/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", host: "127.0.0.1" },
        body: bytes.slice(),
      });
      const response = await server.fetch(request);
      const text = await response.text();
      if (response.status >= 500) throw new WrongAnswer(`${path} answers ${response.status}: ${text}`);
      JSON.parse(text);
    }
  },
};
