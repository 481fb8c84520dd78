// The demo in a browser: exports the index as static files, puts a page next to them, and starts a plain file server.
// Run it with: npm run demo:web -- [PORT]

import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bytesText, formatCount } from "../src/cli/terminal/format.ts";
import { ProgressLine } from "../src/cli/terminal/progress-line.ts";
import { type Progress, Sluice } from "../src/index.ts";
import { FOLDER, indexDictionary } from "./corpus.ts";
import { buildPage } from "./page-build.ts";
import { serveFolder } from "./static-server.ts";
import { terminal } from "./terminal.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SITE = join(ROOT, "demo/site");
const DEFAULT_PORT = 8080;

const progress = new ProgressLine(terminal);
const onProgress = ({ task, done, total }: Progress) => progress.update(task, done, total);
const index = (await Sluice.exists(FOLDER))
  ? await Sluice.open(FOLDER, { readOnly: true })
  : await indexDictionary(onProgress);
await rm(SITE, { recursive: true, force: true });
const { docs, files, bytes } = await index.exportWeb(join(SITE, "index"), { onProgress });
await index.close();
progress.clear();
await buildPage(ROOT, SITE);
terminal.out(
  `${relative(process.cwd(), SITE)}: ${formatCount(docs)} definitions in ${files} files, ${bytesText(bytes)}, and a page\n`,
);

const port = process.argv[2];
// If the default port is in use, another one is taken; a port on the command line must be free.
const { url } = await (port
  ? serveFolder(SITE, Number(port))
  : serveFolder(SITE, DEFAULT_PORT).catch(() => serveFolder(SITE)));
terminal.out(`${url}   searched in the tab: what answers here is a file server. Ctrl-C ends it.\n`);
