// The certificate of a server that speaks TLS. It is read from files at the start, and again when the files change, so that a
// renewed certificate needs no restart. A new one that is bad is not used, and the old one stays.

import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { SluiceError } from "../../index.ts";
import { withFileErrors } from "../../support/files/file-error.ts";

export interface TlsOptions {
  /** A file in PEM: the certificate of the server, then those that lead to a known authority. */
  readonly cert: string;
  /** A file in PEM: the private key of the certificate. */
  readonly key: string;
  /** Milliseconds between two looks at the files, 10 seconds by default; 0 never looks. */
  readonly refreshMs?: number | undefined;
}

/** What a listener gets: never anything older than TLS 1.2. */
type Credentials = Required<Pick<SecureContextOptions, "cert" | "key" | "minVersion">>;

const REFRESH_MS = 10_000;

export class Certificates {
  readonly #options: TlsOptions;
  #current: Credentials;
  /** The last files that were refused: each is reported once. */
  #refused: Credentials | undefined;

  private constructor(options: TlsOptions, current: Credentials) {
    this.#options = options;
    this.#current = current;
  }

  /** Reads the files. A certificate that cannot be used is a `SluiceError`. */
  static async read(options: TlsOptions): Promise<Certificates> {
    const found = await readCredentials(options);
    requireMatchingPair(found, options);
    return new Certificates(options, found);
  }

  get current(): Credentials {
    return this.#current;
  }

  /** Milliseconds between two looks at the files. */
  get refreshMs(): number {
    return this.#options.refreshMs ?? REFRESH_MS;
  }

  /** The day on which the certificate ends. */
  get validTo(): string {
    return new X509Certificate(this.#current.cert as string).validTo;
  }

  /** Reads the files again. Whether there is a new certificate; a bad one throws, once, and the old one stays. */
  async refresh(): Promise<boolean> {
    const found = await readCredentials(this.#options);
    if (isSame(found, this.#current) || (this.#refused && isSame(found, this.#refused))) return false;
    this.#refused = found;
    requireMatchingPair(found, this.#options);
    this.#current = found;
    this.#refused = undefined;
    return true;
  }
}

async function readCredentials({ cert, key }: TlsOptions): Promise<Credentials> {
  const text = (path: string) => withFileErrors(path, () => readFile(path, "utf8"));
  return { cert: await text(cert), key: await text(key), minVersion: "TLSv1.2" };
}

function isSame(a: Credentials, b: Credentials): boolean {
  return a.cert === b.cert && a.key === b.key;
}

/** Refuses files that are not a certificate and its key. The message of OpenSSL never holds a part of the key. */
function requireMatchingPair(credentials: Credentials, { cert, key }: TlsOptions): void {
  try {
    createSecureContext(credentials);
  } catch (error) {
    throw new SluiceError(
      `${cert} and ${key} are not a certificate and its key: ${(error as Error).message}`,
      "give two files in PEM: the chain of certificates, and the private key of the first one",
    );
  }
}
