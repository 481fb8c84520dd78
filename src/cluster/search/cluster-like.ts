// Documents of a commit on a cluster, as queries for documents like them read them.

import type { LikeDocument, LikeReader } from "../../search/demands/like.ts";
import { toFloat32s } from "../../support/numbers/float16.ts";
import type { FoundVersion } from "../commit/cluster-documents.ts";
import type { ClusterView } from "../commit/cluster-index.ts";
import { toRow, unpackStoredRow } from "../rows/stored-row.ts";

/** Reads documents that queries name, many in one request. */
export function createLikeReader(view: Pick<ClusterView, "find" | "shape">): LikeReader {
  return {
    async find(ids) {
      const found = await view.find(ids);
      return ids.map((id) => {
        const version = found.get(id);
        return version && toLikeDocument(version, view);
      });
    },
  };
}

function toLikeDocument(
  { id, row, document }: FoundVersion,
  { shape }: Pick<ClusterView, "shape">,
): LikeDocument {
  const { of } = (document as { passage?: { of?: unknown } | null }).passage ?? {};
  return {
    id,
    passageOf: typeof of === "string" ? of : undefined,
    readRow: () => toRow(unpackStoredRow(row, shape)),
    async readVector() {
      const { vector } = unpackStoredRow(row, shape);
      return vector.length === 0 ? undefined : toFloat32s(vector);
    },
  };
}
