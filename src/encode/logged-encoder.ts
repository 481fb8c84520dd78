// An encoder → the same encoder with a log: the encodings of documents are written to a file (encoding-log.ts), and a text that
// the file has is not encoded again. `sluice index` and `sluice add` use it. In all else it is the encoder itself.

import { checkEncodings } from "./contract/check-encoder.ts";
import type { Role } from "./contract/description.ts";
import type { EncoderGives, Encoding, WatchedEncodeOptions } from "./contract/encoding.ts";
import type { Encoder } from "./encoder.ts";
import { EncodingLog, encodingKey } from "./encoding-log.ts";

export class LoggedEncoder implements Encoder {
  readonly queries?: Encoder;
  readonly #encoder: Encoder;
  readonly #log: EncodingLog;
  readonly #onOpened: (size: number, wasOther: boolean) => void;
  #opening: Promise<void> | undefined;
  /** The last texts of documents, while they are being encoded. */
  #running: Promise<unknown> | undefined;

  /**
   * The file at `path` is opened when the first document is encoded. `onOpened` is then called with the number of encodings in it,
   * and whether it was of another encoder, whose encodings are discarded.
   */
  constructor(
    encoder: Encoder,
    path: string,
    onOpened: (size: number, wasOther: boolean) => void = () => {},
  ) {
    if (encoder.queries) this.queries = encoder.queries;
    this.#encoder = encoder;
    this.#log = new EncodingLog(path, encoder.fingerprint);
    this.#onOpened = onOpened;
  }

  get description(): Encoder["description"] {
    return this.#encoder.description;
  }

  get fingerprint(): string {
    return this.#encoder.fingerprint;
  }

  get path(): string {
    return this.#encoder.path;
  }

  get space(): string {
    return this.#encoder.space;
  }

  get vocabulary(): readonly string[] {
    return this.#encoder.vocabulary;
  }

  get gives(): EncoderGives {
    return this.#encoder.gives;
  }

  async encode(
    texts: readonly string[],
    role: Role,
    options: WatchedEncodeOptions = {},
  ): Promise<Encoding[]> {
    if (role !== "passage" || texts.length === 0) return this.#encoder.encode(texts, role, options);
    const encoding = this.#encodeLogged(texts, options);
    this.#running = encoding.catch(() => {}); // the caller gets the error
    return encoding;
  }

  tokenIds(text: string, role: Role): number[] {
    return this.#encoder.tokenIds(text, role);
  }

  ownTerms(text: string, role: Role): ReadonlySet<string> | undefined {
    return this.#encoder.ownTerms(text, role);
  }

  /** Closes the file and leaves it for the next time. The encoder stays the caller's. */
  async close(): Promise<void> {
    await this.#running; // an abort does not wait for the batch that is running
    this.#opening = undefined;
    await this.#log.close();
  }

  /** Deletes the file: the work that it was kept for is done. */
  async removeLog(): Promise<void> {
    await this.#running;
    this.#opening = undefined;
    await this.#log.remove();
  }

  async #encodeLogged(
    texts: readonly string[],
    { signal, onEncoded, onProgress }: WatchedEncodeOptions,
  ): Promise<Encoding[]> {
    this.#opening ??= this.#open();
    await this.#opening;
    const keys = texts.map(encodingKey);
    const encodings = keys.map((key) => this.#log.find(key));
    for (const [i, encoding] of encodings.entries()) if (encoding) onEncoded?.(i, encoding);
    const missing = [...keys.keys()].filter((i) => encodings[i] === undefined);
    const logged = texts.length - missing.length;
    try {
      const given = await this.#encoder.encode(
        missing.map((i) => texts[i]),
        "passage",
        {
          signal,
          onEncoded: (at, encoding) => {
            this.#log.append(keys[missing[at]], encoding);
            onEncoded?.(missing[at], encoding);
          },
          onProgress: ({ task, done }) => onProgress?.({ task, done: logged + done, total: texts.length }),
        },
      );
      const fresh = checkEncodings(given, missing.length, this.path, {});
      for (const [at, i] of missing.entries()) encodings[i] = fresh[at];
    } finally {
      await this.#log.flush();
    }
    return encodings as Encoding[];
  }

  async #open(): Promise<void> {
    const { wasOther } = await this.#log.open();
    this.#onOpened(this.#log.size, wasOther);
  }
}
