// A file of weighted queries → bags of terms. It has one of two formats: qid TAB tokens, with each token repeated as often
// as its weight; or one object a line, {"id", "vector": {token: weight}}. Plain or gzip.

import { type Bag, type BagFormat, checkBag, countTerms, parseBag } from "../../documents/bag.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { parseObject } from "../../support/files/json.ts";
import { type Line, readLines } from "../../support/files/lines.ts";
import { ID_FIELDS, isObjectLine, splitTwoFields } from "../stream/line-documents.ts";
import { readTextField } from "../stream/text-field.ts";

export interface Topic {
  readonly id: string;
  readonly weights: Bag;
}

/** The queries of a file, in its order. Throws if an id appears twice. */
export async function* readTopics(path: string, format: BagFormat = {}): AsyncGenerator<Topic> {
  const seen = new Set<string>();
  for await (const line of readLines(path)) {
    const topic = isObjectLine(line) ? fromObject(line, format) : fromRepetition(line, format);
    if (seen.has(topic.id))
      throw new SluiceError(`${line.where}: the query ${JSON.stringify(topic.id)} appears twice`);
    seen.add(topic.id);
    yield topic;
  }
}

function fromObject(line: Line, format: BagFormat): Topic {
  const object = parseObject(line);
  return {
    id: readTextField(object, ID_FIELDS, line.where),
    weights: parseBag(object.vector, line.where, format),
  };
}

function fromRepetition(line: Line, format: BagFormat): Topic {
  const [id, tokens] = splitTwoFields(line);
  const counts = countTerms(tokens.split(" ").filter((token) => token !== ""));
  return { id, weights: checkBag(counts, line.where, format) };
}
