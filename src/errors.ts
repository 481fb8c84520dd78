// The one error a caller can do something about. Everything else is a bug of ours and keeps its stack.

/** Something the caller can fix. The message says what was found and where; the hint says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A document's id is there already. */
export class DuplicateIdError extends UsageError {}

/** At most 60 characters of a text, for a message. */
export function abridged(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}
