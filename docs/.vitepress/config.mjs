// The site: VitePress makes it of the Markdown files of the repository. Nothing in it is fetched from elsewhere.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { slug } from "./headings.mjs";
import { repositoryLinks } from "./links.mjs";
import { addressOf, buildFolder, pages, REPOSITORY, root, sidebar } from "./pages.mjs";

const all = pages();
const files = new Set(all.map(({ file }) => file));
const firstGuide = all.find(({ file }) => file.startsWith("docs/guides/"));
const firstReference = all.find(({ file }) => file.startsWith("docs/reference/"));

/** VitePress takes every Markdown file of a folder for a page: the others of the repository are named here. */
function noPages() {
  const entries = readdirSync(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "docs");
  return [
    ...folders.map(({ name }) => `${name}/**`),
    ...entries.filter(({ name }) => name.endsWith(".md") && !files.has(name)).map(({ name }) => name),
    ...["docs/README.md", "docs/build/**", "**/node_modules/**"],
  ];
}

const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(`${root}web/icon.svg`, "utf8"))}`;

export default defineConfig({
  title: "Sluice",
  description: "Lexical and semantic search in one index, with one score",
  lang: "en-US",
  head: [["link", { rel: "icon", href: icon }]],
  base: process.env.SITE_BASE ?? "/",
  srcDir: root,
  srcExclude: noPages(),
  rewrites: Object.fromEntries(all.map(({ file, route }) => [file, route])),
  outDir: join(buildFolder, "site"),
  cacheDir: join(buildFolder, "cache"),
  cleanUrls: false,
  metaChunk: true,
  markdown: {
    anchor: { slugify: slug },
    config: (md) => repositoryLinks(md, all),
  },
  themeConfig: {
    nav: [
      ...(firstGuide ? [{ text: "Guides", link: addressOf(firstGuide.route) }] : []),
      ...(firstReference ? [{ text: "Reference", link: addressOf(firstReference.route) }] : []),
      { text: "API", link: "/api/" },
      { text: "Repository", link: REPOSITORY },
    ],
    sidebar: sidebar(all),
    outline: [2, 3],
  },
  vite: {
    // The search index is written here before VitePress runs.
    publicDir: join(buildFolder, "public"),
    resolve: {
      // In a project of your own these are found in node_modules.
      alias: [
        { find: /^sluice\/browser\/worker$/, replacement: join(root, "src/browser/worker.ts") },
        { find: /^sluice\/browser$/, replacement: join(root, "src/browser/index.ts") },
      ],
    },
    worker: { format: "es" },
    build: { target: "es2023", reportCompressedSize: false, chunkSizeWarningLimit: 2000 },
  },
});
