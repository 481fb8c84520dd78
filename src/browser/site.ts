// The URL of an export → its manifest and its files. Every byte is checked, and every failure has a message that says what
// to do.

import { INDEX_FIELDS } from "../store/web/manifest-shape.ts";
import {
  hexadecimal,
  MANIFEST_FILE,
  type Manifest,
  WEB_FORMAT,
  WEB_VERSION,
  type WebIndex,
  type WebPart,
} from "../store/web/web-format.ts";
import { crc32 } from "../support/bytes/crc32.ts";
import { closedError } from "../support/errors/index-errors.ts";
import { SluiceError } from "../support/errors/sluice-error.ts";
import { showValue } from "../support/options/options.ts";
import { wrongField } from "../support/options/shapes.ts";

export type Fetch = typeof globalThis.fetch;

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the size of each chunk that arrives. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Files that are fetched at once. Browsers allow 6 connections to one host. */
const MAX_AT_ONCE = 6;

/** @internal */
export class Site {
  /** The URL of the folder; it ends with a slash. */
  readonly url: URL;
  readonly #fetch: Fetch;
  readonly #closed = new AbortController();
  #freeConnections = MAX_AT_ONCE;
  readonly #waiting: (() => void)[] = [];

  constructor(url: string | URL, fetch: Fetch = globalThis.fetch) {
    this.url = toFolderUrl(url);
    this.#fetch = fetch;
  }

  /** Fetches the manifest and checks it. Returns its content and its fingerprint. */
  async fetchManifest(signal?: AbortSignal): Promise<{ index: WebIndex; fingerprint: string }> {
    const url = new URL(MANIFEST_FILE, this.url);
    // The manifest is the only file that changes; the other files never do.
    const response = await this.#get(url, { signal, cache: "no-cache" }, EXPORT_FIRST);
    const text = await response.text().catch((error) => {
      throw this.#explainFailure(error, url, signal);
    });
    return checkManifest(text, url);
  }

  /** Fetches a file, checks it and decompresses it if it is compressed. */
  async fetchPart(file: string, part: WebPart, options: FetchOptions = {}): Promise<Uint8Array> {
    const url = new URL(file, this.url);
    await this.#waitForConnection();
    try {
      const stored = await this.#fetchChecked(url, part, options);
      if (part.stored === part.bytes) return stored;
      const whole = await inflate(stored, part.bytes);
      if (whole) return whole;
      throw damagedExportError(url, "it cannot be decompressed");
    } finally {
      this.#freeConnections++;
      this.#waiting.shift()?.();
    }
  }

  /** Aborts all fetches. */
  close(): void {
    this.#closed.abort(closedError());
  }

  /** The stored bytes of a file. A damaged copy may come from a cache, so it is fetched once more without caches. */
  async #fetchChecked(url: URL, part: WebPart, options: FetchOptions): Promise<Uint8Array<ArrayBuffer>> {
    const first = await this.#fetchOnce(url, part, options);
    if (!first.wrong) return first.bytes;
    const second = await this.#fetchOnce(url, part, { signal: options.signal }, "reload");
    if (second.wrong) throw damagedExportError(url, second.wrong);
    return second.bytes;
  }

  /** Fetches a file once. Returns its bytes, and what is wrong with them if anything is. */
  async #fetchOnce(
    url: URL,
    { stored, checksum }: WebPart,
    { signal, onBytes }: FetchOptions,
    cache?: "reload",
  ): Promise<{ bytes: Uint8Array<ArrayBuffer>; wrong?: string }> {
    const response = await this.#get(url, { signal, cache }, OPEN_AGAIN);
    let found = 0;
    const { bytes, length } = await readStream(response.body, stored, (piece) => {
      found = crc32(piece, found);
      onBytes?.(piece.length);
    }).catch((error) => {
      throw this.#explainFailure(error, url, signal);
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
    const fetch = this.#fetch; // the browser's fetch must not be called as a method of another object
    const response = await fetch(url, { signal: either, ...(cache && { cache }) }).catch((error) => {
      throw this.#explainFailure(error, url, signal);
    });
    if (response.ok) return response;
    await response.body?.cancel().catch(() => {});
    if (response.status === 404) throw new SluiceError(`${url}: not found (404)`, missing);
    throw new SluiceError(`${url}: the server answered ${response.status} ${response.statusText}`.trimEnd());
  }

  /** The error of a failed fetch: the reason of the abort, or that the URL cannot be reached. */
  #explainFailure(error: unknown, url: URL, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (this.#closed.signal.aborted) return this.#closed.signal.reason;
    if (!(error instanceof Error)) return error;
    return new SluiceError(
      `${url}: cannot be reached: ${error.message}`,
      "check the URL and the connection; files of another site need its permission (CORS), and file: URLs do not work",
    );
  }

  async #waitForConnection(): Promise<void> {
    if (this.#freeConnections-- > 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

const EXPORT_FIRST = "write the index with exportWeb, and give the URL of its folder";
const OPEN_AGAIN = "the export is incomplete or was replaced: upload all of it, or open it again";

/** The URL of the folder. It may be given relative to the page, without the last slash, or as the URL of the manifest. */
export function toFolderUrl(url: string | URL): URL {
  const { location } = globalThis as { location?: { href: string } };
  let folder: URL;
  try {
    folder = new URL(url, location?.href);
  } catch {
    throw new SluiceError(`${url}: not a URL`, "give one such as https://example.org/index/");
  }
  folder.hash = "";
  folder.search = "";
  if (folder.pathname.endsWith(`/${MANIFEST_FILE}`))
    folder.pathname = folder.pathname.slice(0, -MANIFEST_FILE.length);
  else if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return folder;
}

function checkManifest(text: string, url: URL): { index: WebIndex; fingerprint: string } {
  let manifest: Partial<Manifest> | null;
  try {
    manifest = JSON.parse(text);
  } catch {
    manifest = null;
  }
  if (manifest?.format !== WEB_FORMAT)
    throw new SluiceError(`${url}: not an export of a Sluice index`, EXPORT_FIRST);
  if (manifest.version !== WEB_VERSION) {
    throw new SluiceError(
      `${url}: format ${showValue(manifest.version)}; this build reads format ${WEB_VERSION}`,
      "use the same version of Sluice in the page and for the export",
      "ERR_SLUICE_FORMAT",
    );
  }
  const { checksum = "", index } = manifest;
  const bytes = new TextEncoder().encode(JSON.stringify(index));
  if (!index || hexadecimal(crc32(bytes)) !== checksum)
    throw damagedExportError(url, "it does not match its checksum");
  const wrong = wrongField(index, INDEX_FIELDS);
  if (wrong !== undefined) throw damagedExportError(url, `it has a wrong "${wrong}", or none`);
  return { index, fingerprint: checksum };
}

/** The error about a file of an export that is not as it was written. */
export function damagedExportError(url: URL, reason: string): SluiceError {
  return new SluiceError(
    `${url}: the file is damaged: ${reason}`,
    "upload the export again; if the uploaded file is intact, a cache holds a damaged copy",
    "ERR_SLUICE_DAMAGED",
  );
}

/** Reads a stream into memory, up to `most` bytes. `length` is larger than `most` if there were more. */
async function readStream(
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

/** Decompresses; undefined if the bytes are not deflate data, or do not give exactly `bytes` bytes. */
async function inflate(stored: Uint8Array<ArrayBuffer>, bytes: number): Promise<Uint8Array | undefined> {
  const stream = new Blob([stored]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const read = await readStream(stream, bytes).catch(() => undefined);
  return read?.length === bytes ? read.bytes : undefined;
}
