// The pages of the site: which files of the repository they are, what they are called, and at which address each one stands.
// A new file in docs/guides or docs/reference is a page, and in the sidebar, without a change here.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
/** Where the site and what it is made of are written; git ignores it. */
export const buildFolder = join(root, "docs/build");
export const REPOSITORY = "https://github.com/sluice-search/sluice";

/** Pages that stand at the root of the repository. A name that is not there is left out. */
const ROOT_PAGES = {
  "README.md": "index.md",
  "ARCHITECTURE.md": "architecture.md",
  "GLOSSARY.md": "glossary.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
};
/** TypeDoc writes these; the sidebar shows them by module, not by folder. */
const API = "docs/api/";
/** Folders of docs/ that the sidebar shows first, in this order; others follow by name. */
const FIRST_FOLDERS = ["guides", "reference"];
const NO_PAGES = new Set(["api", "build", "node_modules"]);

/**
 * Every page, sorted by file: `file` below the repository, `route` below the site (both end in .md), and `title`. Pages of
 * docs/api are there once TypeDoc has run.
 */
export function pages() {
  const files = [
    ...Object.keys(ROOT_PAGES).filter((file) => existsSync(root + file)),
    ...markdownOf("docs").filter((file) => file !== "docs/README.md"), // the first page of the API, by TypeDoc
    ...docsFolders().flatMap((folder) => markdownOf(`docs/${folder}`, true)),
    ...markdownOf("docs/api", true),
  ];
  return files.map((file) => ({ file, route: routeOf(file), ...headOf(file) }));
}

function routeOf(file) {
  return ROOT_PAGES[file] ?? file.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

/** The address of a page in the site: no ending, and a folder for its index. */
export function addressOf(route) {
  return `/${route.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
}

function docsFolders() {
  const found = readdirSync(`${root}docs`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !NO_PAGES.has(entry.name))
    .map(({ name }) => name)
    .sort();
  return [
    ...FIRST_FOLDERS.filter((name) => found.includes(name)),
    ...found.filter((name) => !FIRST_FOLDERS.includes(name)),
  ];
}

function markdownOf(folder, recursive = false) {
  if (!existsSync(root + folder)) return [];
  return readdirSync(root + folder, { recursive, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/** The title is the front matter's, or the first heading; `order` in a front matter puts a page before those without one. */
function headOf(file) {
  const text = readFileSync(root + file, "utf8");
  const front = /^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? "";
  const heading = /^# +(.+?) *#*$/m.exec(text)?.[1];
  const title = /^title: *["']?(.+?)["']? *$/m.exec(front)?.[1] ?? heading ?? file;
  const order = Number(/^order: *(\d+) *$/m.exec(front)?.[1] ?? Number.POSITIVE_INFINITY);
  return { title: title.replace(/[`*\\]/g, ""), order };
}

/** The sidebar of VitePress: a group for each folder of docs/, the API by module, then the pages of the root. */
export function sidebar(all = pages()) {
  const groups = docsFolders().map((folder) => ({
    text: folder[0].toUpperCase() + folder.slice(1).replaceAll("-", " "),
    items: all
      .filter(({ file }) => file.startsWith(`docs/${folder}/`))
      .sort(inOrder)
      .map(linkTo),
  }));
  const roots = all.filter(({ file }) => !file.startsWith("docs/") && file !== "README.md");
  const loose = all.filter(({ file }) => /^docs\/[^/]+$/.test(file)).sort(inOrder);
  return [
    { text: "Start", items: [{ text: "What Sluice is", link: "/" }, ...loose.map(linkTo)] },
    ...groups.filter(({ items }) => items.length > 0),
    { text: "API", items: apiItems(all) },
    { text: "Project", items: roots.map(linkTo) },
  ].filter(({ items }) => items.length > 0);
}

/** One entry a module, with its classes and functions below it. What is reached from these has no entry of its own. */
function apiItems(all) {
  const api = all.filter(({ file }) => file.startsWith(API));
  const modules = api
    .filter(({ file }) => /^docs\/api\/.+\/index\.md$/.test(file))
    .sort((a, b) => a.file.split("/").length - b.file.split("/").length || (a.file < b.file ? -1 : 1));
  return modules.map(({ file, route }) => {
    const folder = file.slice(0, -"index.md".length);
    const members = api.filter((page) =>
      /^(classes|functions)\/[^/]+$/.test(page.file.startsWith(folder) ? page.file.slice(folder.length) : ""),
    );
    return {
      text: folder.slice(API.length, -1),
      link: addressOf(route),
      collapsed: true,
      items: members.map((page) => ({ ...linkTo(page), text: page.title.replace(/^\w+: /, "") })),
    };
  });
}

function linkTo({ title, route }) {
  return { text: title, link: addressOf(route) };
}

function inOrder(a, b) {
  return a.order - b.order || (a.title < b.title ? -1 : 1);
}
