// opensearch://host:9200,host2:9200/name → the nodes of a cluster and the name of an index. opensearchs:// is the same over https.
// Secrets come from options or from the environment: an address is printed, logged and listed by the system.

import { readFileSync } from "node:fs";
import { validateHeaderName, validateHeaderValue } from "node:http";
import type { ClusterOptions } from "../../open/open-options.ts";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { fileError } from "../../support/files/file-error.ts";
import { optionError } from "../../support/options/options.ts";

/** Where an index is. */
export interface ClusterAddress {
  /** As it was given. It names the index in errors. */
  readonly text: string;
  /** A URL for each node. */
  readonly nodes: readonly string[];
  /** The name of the index. OpenSearch's own indexes begin with it. */
  readonly name: string;
}

/** How to get in. `ca` are certificates of the authority that signed those of the nodes, as PEM. */
export type ClusterAccess = Pick<ClusterOptions, "auth" | "headers" | "ca">;

const ADDRESS = /^opensearch(s?):\/\/([^/]*)\/([^/?#]*)$/;
const OPENSEARCH_PORT = 9200;
/** OpenSearch allows more; this keeps the names of the indexes behind it apart. */
const NAME = /^[a-z0-9][a-z0-9_.-]{0,200}$/;
const NODE = /^(\[[0-9a-f:]+\]|[\w.-]+)(:\d+)?$/i;

/** Throws if the address is not one of a cluster. */
export function parseClusterAddress(text: string): ClusterAddress {
  const expected = "expected opensearch://host:9200,host2:9200/name";
  const [, secure, hosts, name] = ADDRESS.exec(text) ?? [];
  if (hosts === undefined)
    throw new SluiceError(`${text}: not an address of an index on a cluster`, expected);
  if (hosts.includes("@")) {
    throw new SluiceError(
      "the address of a cluster holds a user or a password, which others could read there",
      "set SLUICE_CLUSTER_USER and SLUICE_CLUSTER_PASSWORD instead, or give cluster.auth",
    );
  }
  const nodes = hosts.split(",").map((host) => {
    if (!NODE.test(host)) throw new SluiceError(`${text}: ${JSON.stringify(host)} is not a host`, expected);
    const withPort = /:\d+$/.test(host) ? host : `${host}:${OPENSEARCH_PORT}`;
    const node = `http${secure}://${withPort}`;
    if (URL.canParse(node)) return node;
    throw new SluiceError(`${text}: ${JSON.stringify(host)} has a host or a port that cannot be`, expected);
  });
  if (!NAME.test(name)) {
    throw new SluiceError(
      `${text}: ${JSON.stringify(name)} cannot be the name of an index`,
      "use small letters, digits, dots, hyphens and underscores, with a letter or a digit first",
    );
  }
  return { text, nodes, name };
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * How to get in: as the options say. What they leave open, the environment says. With `auth` or `headers`, neither is read
 * from it.
 */
export function chooseAccess({ auth, headers, ca }: ClusterAccess, environment: Environment): ClusterAccess {
  const { SLUICE_CLUSTER_CA: file } = environment;
  if (headers) checkHeaders(headers, "cluster.headers");
  const ours = auth || headers ? { auth, headers } : readAccess(environment);
  return { ...ours, ca: ca ?? (file === undefined ? undefined : readAuthority(file)) };
}

function readAccess(environment: Environment): Pick<ClusterAccess, "auth" | "headers"> {
  const {
    SLUICE_CLUSTER_USER: username,
    SLUICE_CLUSTER_PASSWORD: password,
    SLUICE_CLUSTER_HEADER: header,
  } = environment;
  if ((username === undefined) !== (password === undefined)) {
    throw new SluiceError("SLUICE_CLUSTER_USER and SLUICE_CLUSTER_PASSWORD go together, and one is not set");
  }
  return {
    ...(username !== undefined && password !== undefined && { auth: { username, password } }),
    ...(header !== undefined && { headers: checkHeaders(headerOf(header), "SLUICE_CLUSTER_HEADER") }),
  };
}

function headerOf(header: string): Record<string, string> {
  const colon = header.indexOf(":");
  if (colon > 0) return { [header.slice(0, colon).trim()]: header.slice(colon + 1).trim() };
  throw new SluiceError('SLUICE_CLUSTER_HEADER has no colon, expected a header such as "Authorization: …"');
}

/** The headers. Throws if HTTP does not allow one of them. Values are secrets, which no error shows. */
function checkHeaders(headers: Readonly<Record<string, string>>, from: string): typeof headers {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      const isValue = (error as { code?: string }).code === "ERR_INVALID_CHAR";
      throw optionError(
        from,
        `${from}: the ${isValue ? "value" : "name"} of the header ${JSON.stringify(name)} has a character that HTTP does not allow`,
        isValue ? "leave out line breaks and control characters" : "use letters, digits and hyphens",
      );
    }
  }
  return headers;
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw fileError(error, file);
  }
}
