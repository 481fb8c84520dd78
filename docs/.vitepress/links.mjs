// Links between files of the repository → links between pages of the site. Writers link to files, as GitHub wants it
// (../reference/file-format.md#files); a file that is no page is linked to in the repository.
import { existsSync } from "node:fs";
import { dirname, posix } from "node:path";
import { addressOf, REPOSITORY, root } from "./pages.mjs";

const ELSEWHERE = /^([a-z][a-z0-9+.-]*:|\/\/|\/|#)/i;

/** A plugin of markdown-it. A link to a file that is not there ends the build. */
export function repositoryLinks(md, pages) {
  const byFile = new Map(pages.map((page) => [page.file, page]));
  const byRoute = new Map(pages.map((page) => [page.route, page]));
  md.core.ruler.push("repository-links", ({ tokens, env }) => {
    // VitePress says the route of a page; on the way to it, also the file.
    const page = byRoute.get(env.relativePath) ?? byFile.get(env.relativePath);
    if (!page) return;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== "link_open") continue;
      const href = token.attrGet("href");
      if (href && !ELSEWHERE.test(href)) token.attrSet("href", targetOf(href, page));
    }
  });

  function targetOf(href, page) {
    const [path, hash] = href.split(/(?=#)/, 2);
    const target = posix.join(dirname(page.file), decodeURI(path)).replace(/\/$/, "");
    const found = byFile.get(target) ?? byFile.get(`${target}/README.md`) ?? byFile.get(`${target}/index.md`);
    if (found) return addressOf(found.route) + (hash ?? "");
    if (target.startsWith("..") || !existsSync(root + target))
      throw new Error(`${page.file}: the link ${href} leads to ${target}, which is not there`);
    return `${REPOSITORY}/blob/main/${target}${hash ?? ""}`;
  }
}
