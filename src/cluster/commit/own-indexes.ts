// Which of the cluster's indexes are ours: their mapping says so. We never change an index that is not ours.

import { SluiceError } from "../../support/errors/sluice-error.ts";
import { ClusterError, type Connection } from "../connect/connection.ts";

/** What the mapping of an index of ours says. */
interface OwnMeta {
  /** CLUSTER_VERSION. */
  readonly sluice?: number;
  /** In an index of documents only: see DocumentShape. */
  readonly weightScale?: number;
  /** In an index of documents only: what the writer that created it called it. */
  readonly token?: string;
}

/** What OpenSearch says if an index, or an alias, has the name of one that is to be created. */
const TAKEN = new Set(["resource_already_exists_exception", "invalid_index_name_exception"]);

/** Creates an index. If its name is taken, `mayUse` says whether that index may be used. Returns whether there is one to use. */
export async function createIndex(
  connection: Connection,
  name: string,
  body: object,
  mayUse: (metas: readonly OwnMeta[]) => boolean,
): Promise<boolean> {
  try {
    await connection.ask({ method: "PUT", path: `/${name}`, body });
    return true;
  } catch (error) {
    if (!(error instanceof ClusterError && TAKEN.has(error.type))) throw error;
    const metas = await readMetas(connection, name);
    if (metas.length === 0) throw error;
    return mayUse(metas);
  }
}

/** Throws if the cluster has an index with this name that is not ours. */
export async function requireOwnName(connection: Connection): Promise<void> {
  requireOwnMetas(connection, await readMetas(connection, connection.address.name));
}

/** Throws if one of these mappings is not that of an index with a commit record. */
export function requireOwnMetas({ address }: Connection, metas: readonly OwnMeta[]): void {
  for (const { sluice, weightScale } of metas) {
    if (sluice !== undefined && weightScale === undefined) continue;
    throw new SluiceError(
      `${address.text}: this index exists and ${sluice === undefined ? "is not Sluice's" : "holds the documents of another index"}`,
      "choose another name",
      "ERR_SLUICE_INDEX_EXISTS",
    );
  }
}

/** What the mappings say: of an index, or of all indexes of an alias. Empty if there is no index. */
async function readMetas(connection: Connection, name: string): Promise<OwnMeta[]> {
  const found = await connection.askIfThere<Record<string, { mappings?: { _meta?: OwnMeta } }>>({
    method: "GET",
    path: `/${name}/_mapping`,
  });
  return Object.values(found ?? {}).map(({ mappings }) => mappings?._meta ?? {});
}
