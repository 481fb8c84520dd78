// The demo in a page: WordNet's definitions exported as plain files, a page beside them, and a file server that knows
// nothing of either. node scripts/run.mjs demo/web.js [PORT]

import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bytesText, withCommas } from "../src/cli/format.ts";
import { ProgressLine } from "../src/cli/progress.ts";
import { type Progress, Sluice } from "../src/index.ts";
import { buildPage } from "./page-build.ts";
import { serveFolder } from "./static-server.ts";
import { definitions } from "./wordnet.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [dictionary, site] = ["dictionary", "site"].map((name) => join(root, "demo", name));
const port = Number(process.argv[2] ?? 8080);
const print = (text: string) => process.stdout.write(`${text}\n`);

const progress = new ProgressLine({
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  outIsTty: process.stdout.isTTY ?? false,
  errIsTty: process.stderr.isTTY ?? false,
  columns: process.stdout.columns ?? 100,
});
const onProgress = ({ stage, done, total }: Progress) => progress.update(stage, done, total);

const index = await Sluice.open(dictionary);
if (index.size === 0) {
  await index.add(definitions(), { onProgress });
  await index.commit({ onProgress });
}
await rm(site, { recursive: true, force: true });
const { docs, files, bytes } = await index.exportWeb(join(site, "index"), { onProgress });
await index.close();
progress.clear();
await buildPage(root, site);
print(
  `${relative(process.cwd(), site)}: ${withCommas(docs)} definitions in ${files} files, ${bytesText(bytes)}, and a page`,
);

const { url } = await serveFolder(site, port);
print(`${url}   searched in the tab: what answers here is a file server. Ctrl-C ends it.`);
