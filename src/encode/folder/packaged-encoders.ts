// The encoders in this package, by name. An index records the name, not a folder, so it works wherever the package is
// installed.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { SluiceError } from "../../support/errors/sluice-error.ts";
import { nearestName } from "../../support/options/nearest.ts";
import { showValue } from "../../support/options/options.ts";
import { PACKAGED_ENCODERS } from "./encoder-names.ts";

/** What an encoder of this package is recorded as. */
type PackagedPath = "builtin" | "builtin:queries" | "static";

/** An encoder of this package. */
interface PackagedEncoder {
  readonly path: PackagedPath;
  readonly folder: string;
  /** The file that describes it. */
  readonly descriptionFile: string;
  /** Numbers of a vector, if the name says so. */
  readonly dims?: number;
}

/** Where the encoders of this package are, below models/. */
const FOLDERS: Readonly<Record<PackagedPath, string>> = {
  builtin: "builtin",
  "builtin:queries": "builtin/queries",
  static: "static",
};
const STATIC_NAME = /^static(?::(\d+))?$/;
/** What was probably meant to be one of the names: no folder of a user is called so. */
const MISSPELLED = /^\s*(static|builtin)\s*(:.*)?$/i;

/** The encoder of this package with this name; undefined if the name is a folder or an id. */
export function findPackagedEncoder(name: string): PackagedEncoder | undefined {
  const [isStatic, dims] = STATIC_NAME.exec(name) ?? [];
  if (isStatic) {
    return { ...packagedFiles("static", "sluice.json"), ...(dims !== undefined && { dims: Number(dims) }) };
  }
  // The built-in model, used for factors of BM25's weights and its vector, for its vector only, or for factors only.
  if (name === "builtin") return packagedFiles("builtin", "sluice.json");
  if (name === "builtin:vectors") return packagedFiles("builtin", "vectors.json");
  if (name === "builtin:words") return packagedFiles("builtin", "words.json");
  // A table that gives queries vectors in the space of the built-in model.
  if (name === "builtin:queries") return packagedFiles("builtin:queries", "sluice.json");
  if (MISSPELLED.test(name)) throw noEncoderError(name);
  return undefined;
}

/** Whether an encoder's path is a name of this package, not a folder. */
export function isPackaged(path: string): path is PackagedPath {
  return path in FOLDERS;
}

/** The error for a name that is no encoder's and no folder's. */
export function noEncoderError(name: string): SluiceError {
  const meant = nearestName(name.trim(), [...PACKAGED_ENCODERS, "none"]);
  return new SluiceError(
    `there is no encoder ${showValue(name)}, and no such folder`,
    meant !== undefined
      ? `did you mean ${showValue(meant)}?`
      : `an encoder is ${PACKAGED_ENCODERS.join(", ")}, a folder, or an id of Hugging Face: owner/name`,
    "ERR_SLUICE_FILE",
  );
}

/**
 * The folder of an encoder of this package. It is beside src, and beside dist when compiled. Throws if it is not there: a bundler
 * takes code along, and no models. A bundle is less deep, and its models are expected two folders up.
 */
export function findPackagedFolder(path: PackagedPath): string {
  const places = ["../../", "../../../", "../../../../"].map((up) =>
    fileURLToPath(new URL(`${up}models/${FOLDERS[path]}`, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new SluiceError(
    `the files of the encoder ${showValue(path)} are missing: there is no folder ${places.join(" and no folder ")}`,
    `if this program is a bundle, copy the package's folder models/${path} to ${places[0]}, or keep the package sluice out of the bundle; ` +
      'the encoder "none" needs no files and searches words alone',
    "ERR_SLUICE_FILE",
  );
}

function packagedFiles(path: PackagedPath, descriptionFile: string): PackagedEncoder {
  return { path, folder: findPackagedFolder(path), descriptionFile };
}
