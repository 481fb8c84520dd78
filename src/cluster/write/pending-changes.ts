// Changes that are not committed to a cluster: documents that wait in memory, documents that were sent and wait for their commit,
// and versions that end with it. A call of several documents can be undone.

import type { Document, Fields } from "../../documents/document.ts";
import { type BufferedVector, DocumentBuffer } from "../../ingest/collect/buffer.ts";
import type { CountedTerms, Lexicon } from "../../ingest/collect/lexicon.ts";
import { PassageIdMap } from "../../passages/passage-id-map.ts";
import { DELETED } from "../../store/commit/uncommitted.ts";

/** A version that dies with the next commit. */
export interface ReplacedVersion {
  readonly id: string;
  readonly key: string;
}

/** A document that is replaced or deleted. */
export interface Replaced {
  readonly serial: number;
  readonly fields: Fields;
  /** Set if it was committed. */
  readonly replacedVersion?: ReplacedVersion;
}

export class PendingChanges {
  readonly #lexicon: Lexicon;
  /** Documents that were not sent. */
  buffer: DocumentBuffer;
  nextSerial: number;
  /** By id: the serial number of its pending document, or DELETED. */
  readonly ids = new PassageIdMap<number>();
  /** By key: versions of the last commit that die with the next one. */
  readonly replacedVersions = new Map<string, ReplacedVersion>();
  /** Serial numbers of documents that were sent, and must not be committed. */
  readonly revoked = new Set<number>();
  lambda: number | undefined;
  /** Whether there is anything to commit. */
  hasChanges = false;
  /** By how much the number of documents grows with the next commit; below 0 if there will be fewer. */
  growth = 0;
  /** What undoes the changes of a call, the last one first. */
  #undo: (() => void)[] | undefined;

  constructor(lexicon: Lexicon, nextSerial: number) {
    this.#lexicon = lexicon;
    this.nextSerial = nextSerial;
    this.buffer = new DocumentBuffer(nextSerial);
  }

  /** Whether a call may still be undone that replaced a waiting document. Then nothing can be sent. */
  get isUndecided(): boolean {
    return [...this.buffer.hidden()].length > 0;
  }

  beginCall(): void {
    this.#undo = [];
  }

  endCall(): void {
    this.#undo = undefined;
    this.buffer.dropHidden();
  }

  /** Undoes all changes of the call, except serial numbers: none is used twice. */
  undoCall(): void {
    for (const undo of this.#undo!.reverse()) undo();
    this.#undo = undefined;
  }

  add(document: Document, json: string, terms: CountedTerms, vector: BufferedVector | undefined): void {
    const { id } = document;
    const earlierSerial = this.ids.get(id);
    const serial = this.nextSerial++;
    this.ids.set(id, serial);
    this.buffer.add(id, json, [], terms, vector); // the cluster filters: no columns are needed
    this.growth++;
    this.hasChanges = true;
    this.#undo?.push(() => {
      this.#restoreId(id, earlierSerial);
      this.growth--;
      if (this.#lexicon.kind === "bm25") this.#lexicon.remove(JSON.parse(json), `document ${serial}`);
      this.#drop(serial);
    });
  }

  /** Removes a document, pending or committed. */
  remove(id: string, { serial, fields, replacedVersion }: Replaced): void {
    const earlierSerial = this.ids.get(id);
    const mayComeBack = this.#undo !== undefined;
    if (this.#lexicon.kind === "bm25") this.#lexicon.remove(fields as Document, `document ${serial}`);
    if (replacedVersion) this.replacedVersions.set(replacedVersion.key, replacedVersion);
    else if (!this.buffer.holds(serial)) this.revoked.add(serial);
    else if (mayComeBack) this.buffer.hide(serial);
    else this.buffer.drop(serial);
    this.ids.set(id, DELETED);
    this.growth--;
    this.hasChanges = true;
    this.#undo?.push(() => {
      this.#restoreId(id, earlierSerial);
      this.growth++;
      if (this.#lexicon.kind === "bm25") this.#lexicon.restore(fields as Document, `document ${serial}`);
      if (replacedVersion) this.replacedVersions.delete(replacedVersion.key);
      else if (!this.buffer.show(serial)) this.revoked.delete(serial);
    });
  }

  /** Forgets the documents that waited: they were sent. */
  clearBuffer(): void {
    this.buffer = new DocumentBuffer(this.nextSerial);
  }

  #drop(serial: number): void {
    if (this.buffer.holds(serial)) this.buffer.drop(serial);
    else this.revoked.add(serial);
  }

  #restoreId(id: string, before: number | undefined): void {
    if (before === undefined) this.ids.delete(id);
    else this.ids.set(id, before);
  }
}
