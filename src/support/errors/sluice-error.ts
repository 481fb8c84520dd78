// The errors that a caller or an operator can do something about: wrong options, damaged files, a cluster that does not answer. Any
// other error is a bug of ours.

/** What kind of error it is, for programs: messages may change, codes do not. */
export type ErrorCode =
  /** An argument, an option or a document is not what it must be. */
  | "ERR_SLUICE_INVALID"
  /** A document has an id that another document has already. */
  | "ERR_SLUICE_DUPLICATE_ID"
  /** No document has this id. */
  | "ERR_SLUICE_NO_DOCUMENT"
  /** The folder holds no index. */
  | "ERR_SLUICE_NO_INDEX"
  /** The folder holds an index already, which would be replaced, or a cluster has one of this name that is not ours. */
  | "ERR_SLUICE_INDEX_EXISTS"
  /** Another writer has the index. */
  | "ERR_SLUICE_LOCKED"
  /** Another writer took the index over, or committed, since this one began. */
  | "ERR_SLUICE_CONFLICT"
  /** The index was opened to be read only, or cannot be changed. */
  | "ERR_SLUICE_READ_ONLY"
  /** The index was closed. */
  | "ERR_SLUICE_CLOSED"
  /** A file is damaged. */
  | "ERR_SLUICE_DAMAGED"
  /** The index is of a format that this version does not read: an older or a newer version of Sluice wrote it. */
  | "ERR_SLUICE_FORMAT"
  /** The system refused something about a file: it is missing, not allowed, or the disk is full. */
  | "ERR_SLUICE_FILE"
  /** An optional package is not installed, or does not load. */
  | "ERR_SLUICE_MISSING_PACKAGE"
  /** There is no GPU, or what is asked does not fit it. */
  | "ERR_SLUICE_DEVICE"
  /** A cluster cannot be reached, lacks a part of the index, or refused a request. */
  | "ERR_SLUICE_CLUSTER";

/**
 * Something that a caller or an operator can fix. `message` says what was found and where, and then what to do. The two parts are
 * also apart: `problem` and `hint`.
 */
export class SluiceError extends Error {
  override readonly name = "SluiceError";
  readonly code: ErrorCode;
  // Not properties of their own: the console would show them a second time, below the message.
  readonly #problem: string;
  readonly #hint: string | ((nameOf: (option: string) => string) => string) | undefined;
  readonly #option: string | undefined;
  readonly #missingPackage: string | undefined;

  /** A hint that names options is a function. Its argument gives the name of an option: on the command line, that of its flag. */
  constructor(
    problem: string,
    hint?: string | ((nameOf: (option: string) => string) => string),
    code: ErrorCode = "ERR_SLUICE_INVALID",
    option?: string,
    missingPackage?: string,
  ) {
    super(hint ? `${problem}; ${hintText(hint)}` : problem);
    this.code = code;
    this.#problem = problem;
    this.#hint = hint;
    this.#option = option;
    this.#missingPackage = missingPackage;
  }

  /** What was found, and where: the message without the hint. */
  get problem(): string {
    return this.#problem;
  }

  /** What to do, if there is something. */
  get hint(): string | undefined {
    return this.#hint === undefined ? undefined : hintText(this.#hint);
  }

  /** @internal The hint, with the names that options have where it is shown. */
  hintWith(nameOf: (option: string) => string): string | undefined {
    return this.#hint === undefined ? undefined : hintText(this.#hint, nameOf);
  }

  /** The option that is wrong, if one is, or its part: "match", "rerank.top", "boosts[0].field". */
  get option(): string | undefined {
    return this.#option;
  }

  /** The package that is missing, if the code is `ERR_SLUICE_MISSING_PACKAGE`. */
  get missingPackage(): string | undefined {
    return this.#missingPackage;
  }
}

function hintText(
  hint: string | ((nameOf: (option: string) => string) => string),
  nameOf = (option: string) => `the option ${option}`,
): string {
  return typeof hint === "string" ? hint : hint(nameOf);
}

/** What an error says is wrong, without a hint. For messages that have a hint of their own. */
export function problemOf(error: unknown): string {
  return error instanceof SluiceError ? error.problem : (error as Error).message;
}

/** At most 60 characters of a text, for a message. */
export function abridge(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
