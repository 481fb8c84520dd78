// Documents → groups (group.ts).

import { crc32, deflateRawSync } from "node:zlib";
import { waitForTurn } from "../../support/work/turns.ts";
import type { Dictionary } from "./dictionary.ts";
import { type DocumentJson, groupBytes, type JsonBlock, packGroup } from "./group.ts";

/** A group and its key in the table of documents. */
export interface PackedGroup {
  readonly last: number;
  readonly value: Buffer;
}

/** About how many bytes of JSON a block has. To read one document, its whole block is inflated. */
const BLOCK_BYTES = 6144;
/** Up to this many serial numbers without a document are empty lines; more begin a new block. */
const MOST_MISSING = 256;
/** The least and the most bytes of JSON that a group has. Between the two, it ends where its last page is fullest. */
const GROUP_BYTES = 128 * 1024;
const MOST_GROUP_BYTES = 192 * 1024;
/** A page of LMDB, and its header. */
const [PAGE_BYTES, PAGE_HEAD_BYTES] = [4096, 16];
/** zlib's level. Level 6 takes up to 1.5 times as long and saves 2 to 3 % of the size: see src/store/README.md. */
const LEVEL = 4;

/** Documents, in the order of their serial numbers → groups. Without `compress`, blocks are not deflated. */
export function* packGroups(
  documents: Iterable<DocumentJson>,
  dictionary: Dictionary | undefined,
  { compress = true } = {},
): Generator<PackedGroup> {
  let waiting: JsonBlock[] = [];
  for (const lines of splitIntoBlocks(documents)) {
    waiting.push(compress ? compressBlock(lines, dictionary) : createPlainBlock(lines));
    if (countJsonBytes(waiting) < MOST_GROUP_BYTES) continue;
    const end = fullestEnd(waiting);
    yield group(waiting.slice(0, end), dictionary);
    waiting = waiting.slice(end);
  }
  if (waiting.length > 0) yield group(waiting, dictionary);
}

/** `packGroups` as a list. Other work can run after each group. */
export async function packGroupsInTurns(
  documents: Iterable<DocumentJson>,
  dictionary: Dictionary | undefined,
  options?: { compress: boolean },
): Promise<PackedGroup[]> {
  const groups: PackedGroup[] = [];
  for (const group of packGroups(documents, dictionary, options)) {
    groups.push(group);
    await waitForTurn();
  }
  return groups;
}

function group(blocks: readonly JsonBlock[], dictionary: Dictionary | undefined): PackedGroup {
  const { firstSerial, lines } = blocks.at(-1)!;
  return { last: firstSerial + lines - 1, value: packGroup(blocks, dictionary?.serial ?? 0) };
}

function countJsonBytes(blocks: readonly JsonBlock[]): number {
  return blocks.reduce((sum, { jsonBytes }) => sum + jsonBytes, 0);
}

/** How many of the blocks make the group that leaves the least of its last page empty. */
function fullestEnd(blocks: readonly JsonBlock[]): number {
  let [jsonBytes, bytes, best, least] = [0, 0, blocks.length, Number.POSITIVE_INFINITY];
  for (const [i, block] of blocks.entries()) {
    jsonBytes += block.jsonBytes;
    bytes += block.bytes;
    if (jsonBytes < GROUP_BYTES) continue;
    const used = (groupBytes(i + 1, bytes) + PAGE_HEAD_BYTES) % PAGE_BYTES;
    const empty = (PAGE_BYTES - used) % PAGE_BYTES;
    if (empty < least) [best, least] = [i + 1, empty];
  }
  return best;
}

function compressBlock({ json, ...lines }: Lines, dictionary: Dictionary | undefined): JsonBlock {
  const options = { level: LEVEL, ...(dictionary && { dictionary: dictionary.bytes }) };
  const smaller = deflateRawSync(json, options);
  const content = smaller.length < json.length ? smaller : json;
  return { ...lines, jsonBytes: json.length, bytes: content.length, checksum: crc32(content), content };
}

function createPlainBlock({ json, ...lines }: Lines): JsonBlock {
  return { ...lines, jsonBytes: json.length, bytes: json.length, checksum: crc32(json), content: json };
}

/** The lines of a block, before compression. */
interface Lines {
  readonly firstSerial: number;
  readonly lines: number;
  readonly docs: number;
  readonly json: Buffer;
}

const LINE_FEED = Buffer.from("\n");

function* splitIntoBlocks(documents: Iterable<DocumentJson>): Generator<Lines> {
  let parts: Uint8Array[] = [];
  let [firstSerial, next, docs, bytes] = [0, 0, 0, 0];
  const finished = () => {
    const block = { firstSerial, lines: next - firstSerial, docs, json: Buffer.concat(parts) };
    parts = [];
    [docs, bytes] = [0, 0];
    return block;
  };
  for (const { serial, json } of documents) {
    // A long text gets a block of its own: short ones in the same block would be slow to read.
    if (docs > 0 && (serial - next > MOST_MISSING || bytes + json.length > 2 * BLOCK_BYTES)) yield finished();
    if (docs === 0) [firstSerial, next] = [serial, serial];
    for (; next < serial; next++, bytes++) parts.push(LINE_FEED);
    parts.push(json, LINE_FEED);
    bytes += json.length + 1;
    next++;
    docs++;
    if (bytes >= BLOCK_BYTES) yield finished();
  }
  if (docs > 0) yield finished();
}
