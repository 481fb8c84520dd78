// A minimal file server for a folder. It knows nothing about indexes: the browser does the search.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pipeline } from "node:stream/promises";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Serves only the files of a folder, on this machine only. Port 0 takes any free port. */
export async function serveFolder(folder: string, port = 0): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    answer(join(folder, inside(pathname))).catch(() => response.destroy());

    async function answer(path: string): Promise<void> {
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory()) return answer(join(path, "index.html"));
      if (!found || (request.method !== "GET" && request.method !== "HEAD")) {
        response.writeHead(found ? 405 : 404).end();
        return;
      }
      response.writeHead(200, {
        "content-type": TYPES[extname(path)] ?? "application/octet-stream",
        "content-length": found.size,
        // The name of a .bin file changes with its content, so browsers may cache it forever.
        "cache-control": extname(path) === ".bin" ? "max-age=31536000, immutable" : "no-cache",
        "x-content-type-options": "nosniff",
      });
      if (request.method === "HEAD") response.end();
      else await pipeline(createReadStream(path), response);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as { port: number };
  return { server, url: `http://localhost:${address.port}/` };
}

/** A path that cannot leave the folder. */
function inside(pathname: string): string {
  try {
    return normalize(join(sep, decodeURIComponent(pathname).replaceAll("\0", "")));
  } catch {
    return "/not/there";
  }
}
