// The options of `open` and `build`, checked: what the index is, what its searches run on, and how documents are added.

import { ADD_OPTIONS, type AddOptions, checkAddOptions } from "../ingest/options/add-options.ts";
import { checkIndexOptions, INDEX_OPTIONS, type IndexOptions } from "../ingest/options/index-options.ts";
import { checkKernelOptions, KERNEL_OPTIONS, type KernelOptions } from "../scan/contract/kernel-options.ts";
import {
  checkBoolean,
  checkNumber,
  checkObject,
  checkOptions,
  checkText,
  checkThreads,
  isObject,
  type KnownOptions,
  optionError,
  requireIterable,
} from "../support/options/options.ts";
import { checkLocation, isClusterAddress } from "./location.ts";

/**
 * How an index is kept on a cluster, and how to get in. Without `auth` and `headers`, the environment says how:
 * SLUICE_CLUSTER_USER and SLUICE_CLUSTER_PASSWORD, or SLUICE_CLUSTER_HEADER. Without `ca` it is SLUICE_CLUSTER_CA, the name of
 * a file.
 */
export interface ClusterOptions {
  /** A user and a password. */
  readonly auth?: { readonly username: string; readonly password: string } | undefined;
  /** Headers that each request has, such as `{ Authorization: "Bearer …" }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The certificates of your own authority, as PEM. */
  readonly ca?: string | undefined;
  /** Into how many shards a new index is cut; one for each data node by default. */
  readonly shards?: number | undefined;
  /** How many copies each shard of a new index has, besides the first; 1 by default, and 0 if there is one data node. */
  readonly replicas?: number | undefined;
  /** How long, in ms, a request is asked again that the cluster cannot answer now; 60,000 by default. */
  readonly patienceMs?: number | undefined;
}

/** What searches run on, besides the kernel. */
interface ThreadOptions {
  /** How many threads search; 1 by default: the caller's own. */
  readonly threads?: number | undefined;
}

/** How to reach the index at a location. */
export interface LocationOptions {
  /** For an index on a cluster. */
  readonly cluster?: ClusterOptions | undefined;
}

/** What an index in memory is, what its searches run on, and how its documents are added. */
export interface BuildOptions extends IndexOptions, AddOptions, ThreadOptions, KernelOptions {}

export interface OpenOptions extends IndexOptions, ThreadOptions, KernelOptions, LocationOptions {
  /** Opens an index that exists, and never writes to it; false by default. */
  readonly readOnly?: boolean | undefined;
  /** Whether the first commit makes an index where there is none; true by default. False throws `ERR_SLUICE_NO_INDEX` instead. */
  readonly create?: boolean | undefined;
  /** Replaces the index of the folder with the first commit; false by default. */
  readonly overwrite?: boolean | undefined;
  /** About how much memory documents take that wait for a commit; 256 MiB by default. Beyond, they go to disk. */
  readonly bufferBytes?: number | undefined;
  /** How much memory rows may take, all together; 1 GiB by default. Other rows are read from the disk. */
  readonly maxRowBytes?: number | undefined;
}

/** The names of the options of `build`. */
export const BUILD_OPTIONS: KnownOptions<BuildOptions> = {
  ...INDEX_OPTIONS,
  ...ADD_OPTIONS,
  ...KERNEL_OPTIONS,
  threads: true,
};

/** The names of the options of `open`. */
export const OPEN_OPTIONS: KnownOptions<OpenOptions> = {
  ...INDEX_OPTIONS,
  ...KERNEL_OPTIONS,
  threads: true,
  readOnly: true,
  create: true,
  overwrite: true,
  bufferBytes: true,
  maxRowBytes: true,
  cluster: true,
};

/** The names of the options of an index on a cluster. */
const CLUSTER_OPTIONS: KnownOptions<ClusterOptions> = {
  auth: true,
  headers: true,
  ca: true,
  shards: true,
  replicas: true,
  patienceMs: true,
};

/** @internal Throws if the location or an option of `open` is wrong. */
export function checkOpen(location: string, options: OpenOptions): void {
  checkLocation(location);
  if (isObject(options)) refuseAddOptions(options);
  checkOptions(options, OPEN_OPTIONS, "open");
  checkIndexOptions(options);
  checkThreads(options.threads);
  checkKernelOptions(options);
  checkBoolean("readOnly", options.readOnly);
  checkBoolean("create", options.create);
  checkBoolean("overwrite", options.overwrite);
  for (const name of ["bufferBytes", "maxRowBytes"] as const) {
    if (options[name] !== Number.POSITIVE_INFINITY) checkNumber(name, options[name], { least: 0 });
  }
  if (options.cluster !== undefined) checkCluster(options.cluster, location);
}

/** @internal Throws if the documents are not iterable, or an option of `build` is wrong. */
export function checkBuild(documents: unknown, options: BuildOptions): void {
  requireIterable("documents", "documents", documents, true);
  checkOptions(options, BUILD_OPTIONS, "build");
  checkIndexOptions(options);
  checkAddOptions(options);
  checkThreads(options.threads);
  checkKernelOptions(options);
}

/** Throws if an option is one of added documents. */
function refuseAddOptions(options: object): void {
  const name = Object.keys(options).find((each) => Object.hasOwn(ADD_OPTIONS, each));
  if (name === undefined) return;
  throw optionError(undefined, `open has no option "${name}"`, "give it to add, upsert or build");
}

function checkCluster(cluster: ClusterOptions, location: string): void {
  if (!isClusterAddress(location)) {
    throw optionError(
      "cluster",
      `the option cluster is for an index on a cluster, and ${location} is a folder`,
      "leave it out, or give an address such as opensearch://host:9200/name",
    );
  }
  checkOptions(cluster, CLUSTER_OPTIONS, "cluster");
  checkNumber("cluster.shards", cluster.shards, { least: 1, most: 1024, isWhole: true });
  checkNumber("cluster.replicas", cluster.replicas, { least: 0, most: 100, isWhole: true });
  checkNumber("cluster.patienceMs", cluster.patienceMs, { least: 0 });
  const { auth, headers, ca } = cluster;
  if (auth !== undefined) {
    checkOptions(auth, { username: true, password: true }, "cluster.auth");
    checkText("cluster.auth.username", auth.username);
    checkText("cluster.auth.password", auth.password);
  }
  if (headers !== undefined) {
    checkObject("cluster.headers", headers);
    for (const [name, value] of Object.entries(headers)) checkText(`cluster.headers.${name}`, value);
  }
  if (ca === undefined) return;
  checkText("cluster.ca", ca);
  if (location.startsWith("opensearchs:")) return;
  throw optionError(
    "cluster.ca",
    `cluster.ca is for https, and ${location} is http`,
    "leave it out, or give an address with opensearchs://",
  );
}

/** @internal The option `cluster` of a call that has other options, too: checked for a location, and apart from the others. */
export function takeCluster<Options extends LocationOptions>(
  options: Options,
  location: string,
): readonly [cluster: ClusterOptions | undefined, others: Omit<Options, "cluster">] {
  if (!isObject(options)) return [undefined, options]; // the check of the others says what is wrong
  const { cluster, ...others } = options;
  if (cluster !== undefined) checkCluster(cluster, location);
  return [cluster, others];
}
