// An index that was built in memory, as a snapshot of one segment.

import { ColumnsBuilder } from "../documents/columns-builder.ts";
import type { ColumnsData } from "../documents/columns-format.ts";
import type { SectionArray } from "../segment/container-format.ts";
import { IdTable } from "../segment/ids.ts";
import { MemorySections } from "../segment/memory-sections.ts";
import { Segment, type SegmentMeta, SegmentSource } from "../segment/segment.ts";
import { type Layout, layOut, layoutSection } from "../segment/stored-layout.ts";
import type { IndexData } from "./index-file.ts";
import { Snapshot } from "./snapshot.ts";

export function memorySnapshot(data: IndexData): Snapshot {
  const { rows, documents, ids, slicing, lexical, lambda, counts, encoder, vocabulary } = data;
  const source = memorySource(data);
  const segment = new Segment(source, 0, undefined, (_, doc) => documents.at(doc));
  let serials: Map<string, number> | undefined;
  return new Snapshot({
    generation: 0,
    segments: [segment],
    settings: slicing.settings,
    vocabulary,
    semanticDims: rows.semanticDims,
    lambda,
    counts,
    ...(encoder && { encoder }),
    slicing: () => slicing,
    lexical: () => lexical,
    serialOf: (id) => {
      serials ??= new Map(ids.map((id, doc) => [id, doc + 1]));
      return serials.get(id);
    },
    documentWith: (serial) => documents.at(serial - 1),
    close() {},
  });
}

/** What few ask for is made when it is asked for: columns, the layout, serial numbers. */
function memorySource({ rows, ids, documents, slicing, counts, quantize }: IndexData): SegmentSource {
  let [table, columns, layout]: [IdTable?, ColumnsData?, Layout?] = [];
  const laidOut = () => {
    layout ??= layOut(rows, quantize);
    return layout;
  };
  const make = (name: string): SectionArray | undefined => {
    if (name in rows) return rows[name as "starts" | "slices" | "indices" | "values" | "semantic"];
    if (name === "serials") return Float64Array.from(ids, (_, doc) => doc + 1);
    if (name === "ids" || name === "idStarts") {
      table ??= IdTable.of(ids);
      return name === "ids" ? table.bytes : table.starts;
    }
    if (name === "columns" || name === "columnCodes") {
      columns ??= columnsOf(rows.docs, (doc) => documents.at(doc));
      return columns[name];
    }
    const sections = Object.entries(laidOut().sections);
    return sections.find(([section]) => layoutSection(section) === name)?.[1];
  };
  const meta: SegmentMeta = {
    kind: "segment",
    docs: rows.docs,
    settings: slicing.settings,
    semanticDims: rows.semanticDims,
    counts,
    get layout() {
      return laidOut().meta;
    },
  };
  const names = () => [...OWN_SECTIONS, ...Object.keys(laidOut().sections).map(layoutSection)];
  return new SegmentSource("memory", meta, new MemorySections(make, names));
}

const OWN_SECTIONS = [
  ...["starts", "slices", "indices", "values", "semantic"],
  ...["idStarts", "ids", "serials", "columns", "columnCodes"],
];

/** The metadata of all documents of a segment. */
export function columnsOf(
  docs: number,
  fieldsOf: (doc: number) => Readonly<Record<string, unknown>>,
): ColumnsData {
  const builder = new ColumnsBuilder();
  for (let doc = 0; doc < docs; doc++) builder.add(fieldsOf(doc));
  return builder.finish();
}
