// A `fetch` that answers like a static file server, without a server: paths below `prefix` are the files of a folder.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

export function folderFetch(folder: string, prefix = "/"): typeof fetch {
  return async (input, init) => {
    init?.signal?.throwIfAborted();
    const { pathname } = new URL(String(input));
    const missing = new Response("not found", { status: 404, statusText: "Not FoundObject" });
    if (!pathname.startsWith(prefix)) return missing;
    const bytes = await readFile(join(folder, pathname.slice(prefix.length))).catch(() => undefined);
    return bytes ? new Response(Uint8Array.from(bytes)) : missing;
  };
}
