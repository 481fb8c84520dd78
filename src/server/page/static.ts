// A path → a file of the web page. The folder is listed once, when the server starts, and only listed files are served,
// so no path leads out of the folder.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { viewOf } from "./page-address.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** The folder of the built page, found from src and from dist; undefined when the page was not built. */
export function builtPage(): string | undefined {
  const here = import.meta.url;
  const place = here.includes("/dist/src/server/") ? "../../../web" : "../../../dist/web";
  const folder = fileURLToPath(new URL(place, here));
  return isPage(folder) ? folder : undefined;
}

function isPage(folder: string): boolean {
  try {
    return readdirSync(folder).includes("index.html");
  } catch {
    return false;
  }
}

export class StaticFiles {
  readonly #folder: string;
  readonly #paths: ReadonlySet<string>;
  readonly #kept = new Map<string, Buffer<ArrayBuffer>>();

  constructor(folder: string) {
    this.#folder = folder;
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    this.#paths = new Set(
      files.map((file) => file.slice(folder.length).replaceAll("\\", "/").replace(/^\/*/, "/")),
    );
  }

  /**
   * The file at a path, or the page for a path of one of its views. A browser that asks for any other page gets the page
   * with status 404; it says that there is nothing, and links to the views.
   */
  response(path: string, wantsPage: boolean): Response | undefined {
    const isFile = path !== "/" && this.#paths.has(path);
    const isPage = path === "/" || (wantsPage && viewOf(path) !== undefined);
    if (!isFile && !isPage && !(wantsPage && extname(path) === "")) return undefined;
    const file = isFile ? path : "/index.html";
    // Vite puts a hash of the content into these names, so the files never change.
    const isImmutable = /^\/assets\/.*-[\w-]{8,}\.\w+$/.test(file);
    return new Response(this.#read(file), {
      status: isFile || isPage ? 200 : 404,
      headers: {
        "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
        "Cache-Control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
      },
    });
  }

  #read(path: string): Buffer<ArrayBuffer> {
    let bytes = this.#kept.get(path);
    if (!bytes) {
      bytes = readFileSync(join(this.#folder, path));
      this.#kept.set(path, bytes);
    }
    return bytes;
  }
}
