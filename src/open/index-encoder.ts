// The encoder of an index. It is opened when a text first needs it. Documents and queries share it. It closes with the index.

import type { EncoderRecord } from "../encode/encoder-record.ts";

/** @internal `EncoderType` is an `Encoder`, or what a page has in its place. */
export class IndexEncoder<EncoderType extends { close(): Promise<void> }> {
  readonly #openRecorded: (record: EncoderRecord) => Promise<EncoderType>;
  #encoder: EncoderType | undefined;
  /** Shared by all calls that begin before the encoder is open. */
  #opening: Promise<EncoderType> | undefined;
  /** Whether `close` closes the encoder. An encoder that the caller gave stays open. */
  #isOwned: boolean;

  /** `openRecorded` opens the encoder that an index records. It is not called if `given` is there. */
  constructor(
    openRecorded: (record: EncoderRecord) => Promise<EncoderType>,
    given?: EncoderType,
    isOwned = false,
  ) {
    this.#openRecorded = openRecorded;
    this.#encoder = given;
    this.#isOwned = isOwned;
  }

  /** The encoder, if it is open. */
  get opened(): EncoderType | undefined {
    return this.#encoder;
  }

  /**
   * Opens the encoder that the index records, unless it is open. If the index records none, an encoder that was opened for its
   * first document is closed: another first document decided against it.
   */
  async openFor(record: EncoderRecord | undefined): Promise<EncoderType | undefined> {
    if (record) return this.#openOnce(() => this.#openRecorded(record));
    if (this.#isOwned) await this.close();
    return this.#encoder;
  }

  /** Opens the encoder of an index that does not record one yet. Its record is made from it, and then `openFor` returns it. */
  openForNew(open: () => Promise<EncoderType>): Promise<EncoderType> {
    return this.#openOnce(open);
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => {}); // it rejects for those who wait for the encoder
    const encoder = this.#isOwned ? this.#encoder : undefined;
    this.#encoder = undefined;
    await encoder?.close();
  }

  async #openOnce(open: () => Promise<EncoderType>): Promise<EncoderType> {
    if (this.#encoder) return this.#encoder;
    this.#opening ??= open().finally(() => {
      this.#opening = undefined;
    });
    this.#encoder = await this.#opening;
    this.#isOwned = true;
    return this.#encoder;
  }
}
