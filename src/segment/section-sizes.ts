// The header of a segment ↔ the lengths of its sections. They must agree before anything is allocated or read: a header of a few
// bytes may say that it has a billion documents. The check reads no section, so it costs the same for every size of segment.

import type { SlicingSettings } from "../densify/slicing.ts";
import { codeBytes } from "./codes/code-shape.ts";
import { countColumns, type ProductShape, shapeError } from "./codes/product-codes.ts";
import { TYPES, type TypeName } from "./container/container-format.ts";
import { type LayoutMeta, layoutSection } from "./layout.ts";
import { MOST_LEVELS } from "./lexical/levels.ts";
import { MOST_CELL_BYTES } from "./lexical/packed-cells.ts";
import { SPARE_BYTES } from "./lexical/posting-blocks.ts";
import { MOST_CLASSES } from "./lexical/value-classes.ts";
import { MOST_LENGTH_BYTES } from "./rows/ids.ts";
import { MOST_SERIAL_BYTES } from "./rows/serials.ts";
import { padDocs, WINDOW_DOCS } from "./rows/windows.ts";
import {
  FACTOR_SECTIONS,
  FIELD_SECTIONS,
  POSITION_SECTIONS,
  type Sections,
  type SegmentMeta,
} from "./segment.ts";

type SectionSizes = Pick<Sections, "has" | "bytesOf" | "typeOf">;

/** How many elements a section has, and of which type. */
interface Expected {
  readonly name: string;
  readonly types: readonly TypeName[];
  readonly least: number;
  readonly most: number;
}

/** The dimensions of a plane are a multiple of it. */
const PLANE_STEP = 16;

/** Says what of a segment does not fit its index; undefined if all does. Searches make arrays as long as a row has slices. */
export function findIndexMismatch(
  { docs, semanticDims, settings: { dims } }: SegmentMeta,
  index: { readonly settings: Pick<SlicingSettings, "dims">; readonly semanticDims?: number },
): string | undefined {
  if (dims > index.settings.dims)
    return `a segment has rows of ${dims} slices, but the index ${index.settings.dims}`;
  const width = index.semanticDims ?? 0;
  if (docs === 0 || semanticDims === width) return undefined;
  return `a segment has vectors with ${semanticDims} dimensions, but the index ${width}`;
}

/** Says what does not agree; undefined if all does. The types of the header's fields must be right. */
export function findWrongSection(meta: SegmentMeta, sections: SectionSizes): string | undefined {
  // An id takes a byte or more, so the lengths of ids bound the number of documents, which bounds all that follows.
  const ids = findWrongSize(between("idLengths", "u8", meta.docs, MOST_LENGTH_BYTES * meta.docs), sections);
  if (ids) return ids;
  const layout = findWrongLayout(meta);
  if (layout) return layout;
  for (const expected of [...documentSections(meta, sections), ...layoutSections(meta, sections)]) {
    const wrong = findWrongSize(expected, sections);
    if (wrong) return wrong;
  }
  return undefined;
}

function findWrongSize({ name, types, least, most }: Expected, sections: SectionSizes): string | undefined {
  if (!sections.has(name)) return `it names no section "${name}"`;
  const type = sections.typeOf(name);
  if (!types.includes(type))
    return `its section "${name}" has the type ${type}, expected ${types.join(" or ")}`;
  const elements = sections.bytesOf(name) / TYPES[type].BYTES_PER_ELEMENT;
  if (elements >= least && elements <= most) return undefined;
  const range = least === most ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  return `its section "${name}" has ${elements} elements, its header means ${range}`;
}

const exactly = (name: string, type: TypeName, count: number): Expected => between(name, type, count, count);

function between(name: string, type: TypeName, least: number, most = Infinity): Expected {
  return { name, types: [type], least, most };
}

/** The sections of documents, without the layout. */
function documentSections(meta: SegmentMeta, sections: SectionSizes): Expected[] {
  const { docs, semanticDims, layout } = meta;
  const [factorStarts, factors] = FACTOR_SECTIONS;
  const [fieldDirectory, fieldCounts, fieldLengths] = FIELD_SECTIONS;
  const has = (names: readonly string[]) => names.some((name) => sections.has(name));
  return [
    between("ids", "u8", 0),
    exactly("semantic", "u16", docs * semanticDims),
    ...(layout?.lexical.kind !== "inverted" || sections.has("starts") ? rowSections(meta) : []),
    // A page makes serial numbers itself, and an export may leave out metadata.
    ...(sections.has("serials")
      ? [between("serials", "u8", 2 * Math.min(docs, 1), MOST_SERIAL_BYTES * docs)]
      : []),
    ...["columns", "columnCodes"].filter((name) => has([name])).map((name) => between(name, "u8", 0)),
    ...(has(FACTOR_SECTIONS) ? [exactly(factorStarts, "u32", docs + 1), between(factors, "u16", 0)] : []),
    ...(has(POSITION_SECTIONS) ? POSITION_SECTIONS.map((name) => between(name, "u8", 0)) : []),
    ...(has(FIELD_SECTIONS)
      ? [
          ...[fieldDirectory, fieldCounts].map((name) => between(name, "u8", 0)),
          between(fieldLengths, "u8", docs),
        ]
      : []),
  ];
}

function rowSections({ docs, counts: { kept } }: SegmentMeta): Expected[] {
  return [
    exactly("starts", "u32", docs + 1),
    { name: "slices", types: ["u16", "u32"], least: kept, most: kept },
    { name: "indices", types: ["u8", "u16"], least: kept, most: kept },
    exactly("values", "u16", kept),
  ];
}

/** How many windows there are, and how long their arrays by document are together. */
function windowsIn({ docs }: SegmentMeta, { windowDocs }: LayoutMeta) {
  const [full, rest] = [Math.floor(docs / windowDocs), docs % windowDocs];
  return {
    windows: full + Number(rest > 0),
    padded: full * padDocs(windowDocs) + padDocs(rest),
  };
}

/** Says what in the header itself does not agree. */
function findWrongLayout(meta: SegmentMeta): string | undefined {
  const { docs, layout, semanticDims, settings } = meta;
  if (!layout) return undefined;
  const wrong = (what: string) => `its header has a wrong "${what}" of its layout, or none`;
  const { windowDocs, lexical, semantic, quantized } = layout;
  if (windowDocs > WINDOW_DOCS) return wrong("windowDocs");
  const { windows } = windowsIn(meta, layout);
  if (lexical.kind === "inverted") {
    for (const name of ["windowCells", "windowBytes"] as const)
      if (lexical[name].length !== windows + 1 || !areStarts(lexical[name])) return wrong(name);
  } else if (lexical.windowBytes.length !== windows + 1 || !areStarts(lexical.windowBytes))
    return wrong("windowBytes");
  if (docs > 0 && Boolean(semantic) !== semanticDims > 0) return wrong("semantic");
  if (semantic) {
    const { widths, windows: facts, sketch } = semantic;
    if (widths.some((width) => width === 0 || width % PLANE_STEP !== 0) || sum(widths) < semanticDims)
      return wrong("widths");
    if (facts.length !== windows || facts.some(({ roundings }) => roundings.length !== widths.length))
      return wrong("windows");
    if (sketch && !isShapeOf(sketch, 0, semanticDims)) return wrong("sketch");
  }
  if (quantized && !isShapeOf(quantized, settings.dims, semanticDims)) return wrong("quantized");
  return undefined;
}

const isShapeOf = (shape: ProductShape, dims: number, semanticDims: number): boolean =>
  !shapeError(shape) && shape.dims === dims && shape.semanticDims === semanticDims;

const sum = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const areStarts = (starts: readonly number[]): boolean =>
  starts[0] === 0 && starts.every((start, i) => i === 0 || start >= starts[i - 1]);

function layoutSections(meta: SegmentMeta, sections: SectionSizes): Expected[] {
  const { layout } = meta;
  if (!layout) return [];
  const { windows, padded } = windowsIn(meta, layout);
  const { semantic, quantized } = layout;
  const classes = layoutSection("valueClasses");
  const isOneClass = sections.has(classes) && sections.bytesOf(classes) === 0;
  const all = [
    ...lexicalSections(meta, layout, windows),
    ...(layout.lexical.kind === "inverted"
      ? [exactly("valueClasses", "u8", isOneClass ? 0 : meta.docs)]
      : []),
    ...(semantic ? semanticSections(semantic, padded) : []),
    ...(quantized ? codeSections("codebooks", "codes", quantized, padded) : []),
  ];
  return all.map((expected) => ({ ...expected, name: layoutSection(expected.name) }));
}

function lexicalSections(
  { settings: { dims } }: SegmentMeta,
  { lexical }: LayoutMeta,
  windows: number,
): Expected[] {
  if (lexical.kind === "gaps") {
    return [
      exactly("sliceTops", "u16", windows * dims),
      exactly("sliceLists", "u32", windows * dims + 1),
      exactly("listIndices", "u8", lexical.lists),
      exactly("listTops", "u8", lexical.lists),
      exactly("listStarts", "u32", lexical.lists),
      exactly("gapLists", "u8", lexical.windowBytes[windows]),
    ];
  }
  const [cells, bytes] = [lexical.windowCells[windows], lexical.windowBytes[windows]];
  return [
    between("cells", "u8", cells, MOST_CELL_BYTES * cells),
    exactly("postings", "u8", bytes + SPARE_BYTES),
    between("classStarts", "u32", 2, MOST_CLASSES + 1),
    between("classValues", "u16", 0),
    between("levels", "u16", 0, MOST_LEVELS),
  ];
}

function semanticSections(semantic: NonNullable<LayoutMeta["semantic"]>, padded: number): Expected[] {
  const { widths, rotated, sketch } = semantic;
  const all = sum(widths);
  return [
    exactly("planes", "u8", padded * all),
    exactly("planeScales", "u16", padded * widths.length),
    exactly("planeTails", "u16", padded * (widths.length - 1)),
    ...(rotated ? [exactly("rotation", "f32", all * all)] : []),
    ...(sketch
      ? [
          ...codeSections("sketchBooks", "sketchCodes", sketch, padded),
          exactly("sketchStretch", "f32", padded),
          exactly("sketchMissed", "u16", padded),
        ]
      : []),
  ];
}

function codeSections(books: string, codes: string, shape: ProductShape, padded: number): Expected[] {
  return [
    exactly(books, "f32", countColumns(shape) * 2 ** shape.bits),
    exactly(codes, "u8", padded * codeBytes(shape)),
  ];
}
