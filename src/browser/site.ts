// Where an export lies: an address → its manifest and its parts, every byte checked on the way in, every failure in words.

import { UsageError } from "../errors.ts";
import {
  hexadecimal,
  MANIFEST_FILE,
  type Manifest,
  WEB_FORMAT,
  WEB_VERSION,
  type WebIndex,
  type WebPart,
} from "../store/web-format.ts";
import { crc32 } from "../support/crc32.ts";

export type Fetch = typeof globalThis.fetch;

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes that came. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Files that are fetched at once: as many as browsers allow of one host. */
const MOST_AT_ONCE = 6;

/** @internal */
export class Site {
  /** Of the folder; ends with a slash. */
  readonly url: URL;
  readonly #fetch: Fetch;
  readonly #closed = new AbortController();
  #free = MOST_AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  constructor(url: string | URL, fetch: Fetch = globalThis.fetch) {
    this.url = folderOf(url);
    this.#fetch = fetch;
  }

  /** What the manifest says, and its fingerprint. */
  async manifest(signal?: AbortSignal): Promise<{ index: WebIndex; fingerprint: string }> {
    const url = new URL(MANIFEST_FILE, this.url);
    // Parts never change; this is the one file that does.
    const response = await this.#get(url, { signal, cache: "no-cache" }, EXPORT_FIRST);
    const text = await response.text().catch((error) => {
      throw this.#failure(error, url, signal);
    });
    return checkedManifest(text, url);
  }

  /** A file, inflated where it is deflated. */
  async part(file: string, part: WebPart, options: FetchOptions = {}): Promise<Uint8Array> {
    const url = new URL(file, this.url);
    await this.#turn();
    try {
      const stored = await this.#stored(url, part, options);
      if (part.stored === part.bytes) return stored;
      const whole = await inflated(stored, part.bytes);
      if (whole) return whole;
      throw damaged(url, "it cannot be decompressed");
    } finally {
      this.#free++;
      this.#waiting.shift()?.();
    }
  }

  /** Gives up what is under way. */
  close(): void {
    this.#closed.abort(new UsageError("the index was closed", undefined, "ERR_SLUICE_CLOSED"));
  }

  /** The file as it lies there. A damaged copy may be a cache's, for ever: then it is asked for once more, past all caches. */
  async #stored(url: URL, part: WebPart, options: FetchOptions): Promise<Uint8Array<ArrayBuffer>> {
    const first = await this.#copy(url, part, options);
    if (!first.wrong) return first.bytes;
    const second = await this.#copy(url, part, { signal: options.signal }, "reload");
    if (second.wrong) throw damaged(url, second.wrong);
    return second.bytes;
  }

  /** What came, and what is wrong with it. */
  async #copy(
    url: URL,
    { stored, checksum }: WebPart,
    { signal, onBytes }: FetchOptions,
    cache?: "reload",
  ): Promise<{ bytes: Uint8Array<ArrayBuffer>; wrong?: string }> {
    const response = await this.#get(url, { signal, cache }, OPEN_AGAIN);
    let found = 0;
    const { bytes, length } = await gathered(response.body, stored, (piece) => {
      found = crc32(piece, found);
      onBytes?.(piece.length);
    }).catch((error) => {
      throw this.#failure(error, url, signal);
    });
    if (length !== stored) {
      return { bytes, wrong: `it has ${length > stored ? "more" : length} bytes, expected ${stored}` };
    }
    return found === checksum ? { bytes } : { bytes, wrong: "it does not match its checksum" };
  }

  async #get(
    url: URL,
    { signal, cache }: { signal: AbortSignal | undefined; cache?: "no-cache" | "reload" | undefined },
    missing: string,
  ): Promise<Response> {
    const closed = this.#closed.signal;
    const either = signal ? AbortSignal.any([signal, closed]) : closed;
    const fetch = this.#fetch; // a browser's must not be called as a method of something else
    const response = await fetch(url, { signal: either, ...(cache && { cache }) }).catch((error) => {
      throw this.#failure(error, url, signal);
    });
    if (response.ok) return response;
    await response.body?.cancel().catch(() => {});
    if (response.status === 404) throw new UsageError(`${url}: not there (404)`, missing);
    throw new UsageError(`${url}: the server answered ${response.status} ${response.statusText}`.trimEnd());
  }

  /** What to tell of a fetch that failed: that it was given up, or that the address cannot be reached. */
  #failure(error: unknown, url: URL, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (this.#closed.signal.aborted) return this.#closed.signal.reason;
    if (!(error instanceof Error)) return error;
    return new UsageError(
      `${url}: cannot be reached: ${error.message}`,
      "check the address and the connection; another site's files need its permission (CORS), and file: has none",
    );
  }

  async #turn(): Promise<void> {
    if (this.#free-- > 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

const EXPORT_FIRST = "write an export with sluice export-web DIR OUT, and give the address of OUT";
const OPEN_AGAIN = "the export is not whole, or was replaced by another: upload all of it, or open it again";

/** As a page writes it: relative to itself, with or without the slash, or the manifest's own. */
export function folderOf(url: string | URL): URL {
  const { location } = globalThis as { location?: { href: string } };
  let folder: URL;
  try {
    folder = new URL(url, location?.href);
  } catch {
    throw new UsageError(`${url}: not an address`, "give one such as https://example.org/index/");
  }
  folder.hash = "";
  folder.search = "";
  if (folder.pathname.endsWith(`/${MANIFEST_FILE}`))
    folder.pathname = folder.pathname.slice(0, -MANIFEST_FILE.length);
  else if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return folder;
}

function checkedManifest(text: string, url: URL): { index: WebIndex; fingerprint: string } {
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(text);
  } catch {
    manifest = null;
  }
  if (manifest?.format !== WEB_FORMAT) throw new UsageError(`${url}: not an export of Sluice`, EXPORT_FIRST);
  if (manifest.version !== WEB_VERSION) {
    throw new UsageError(
      `${url}: format ${manifest.version}; this build reads format ${WEB_VERSION}`,
      "use the same version of Sluice in the page and for the export",
    );
  }
  const { checksum = "", index } = manifest;
  const bytes = new TextEncoder().encode(JSON.stringify(index));
  if (!index || hexadecimal(crc32(bytes)) !== checksum) throw damaged(url, "it does not match its checksum");
  return { index, fingerprint: checksum };
}

function damaged(url: URL, reason: string): UsageError {
  return new UsageError(
    `${url}: the file is damaged: ${reason}`,
    "upload the export again; if it is sound there, a cache on the way is not",
  );
}

/** A stream in memory, up to `most` bytes; `length` is more where there were more. */
async function gathered(
  stream: ReadableStream<Uint8Array> | null,
  most: number,
  each: (piece: Uint8Array) => void = () => {},
): Promise<{ bytes: Uint8Array<ArrayBuffer>; length: number }> {
  const bytes = new Uint8Array(most);
  let length = 0;
  const reader = stream?.getReader();
  while (reader && length <= most) {
    const { done, value } = await reader.read();
    if (done) break;
    if (length + value.length <= most) bytes.set(value, length);
    length += value.length;
    each(value);
  }
  await reader?.cancel();
  return { bytes, length };
}

/** Undefined where the bytes are not what deflate writes, or give another number of bytes. */
async function inflated(stored: Uint8Array<ArrayBuffer>, bytes: number): Promise<Uint8Array | undefined> {
  const stream = new Blob([stored]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const read = await gathered(stream, bytes).catch(() => undefined);
  return read?.length === bytes ? read.bytes : undefined;
}
