// Files of weighted queries → weighted terms. Two formats: qid TAB tokens, a token repeated as often as its weight;
// or an object a line, {"id", "vector": {token: weight}}. Plain or gzip.

import { UsageError } from "../errors.ts";
import { isObject, twoFields } from "../read/line-documents.ts";
import { type Line, lines, parseObject, textField } from "../read/lines.ts";
import { type Bag, type BagFormat, bagOf, checkedBag, count } from "./bag.ts";

export interface Topic {
  readonly id: string;
  readonly weights: Bag;
}

/** The queries of a file in its order. An id that comes twice is refused. */
export async function* readTopics(path: string, format: BagFormat = {}): AsyncGenerator<Topic> {
  const seen = new Set<string>();
  for await (const line of lines(path)) {
    const topic = isObject(line) ? fromObject(line, format) : fromRepetition(line, format);
    if (seen.has(topic.id))
      throw new UsageError(`${line.where}: the query ${JSON.stringify(topic.id)} stood before`);
    seen.add(topic.id);
    yield topic;
  }
}

function fromObject(line: Line, format: BagFormat): Topic {
  const object = parseObject(line);
  return {
    id: textField(object, ["id", "_id", "qid"], line.where),
    weights: bagOf(object.vector, line.where, format),
  };
}

function fromRepetition(line: Line, format: BagFormat): Topic {
  const [id, tokens] = twoFields(line);
  const counts = count(tokens.split(" ").filter((token) => token !== ""));
  return { id, weights: checkedBag(counts, line.where, format) };
}
