// How an answer differs from what was asked: a code for programs, and a message for people.

/** The codes of notices. docs/reference/errors.md says what each means. */
export type NoticeCode =
  | "words_only"
  | "no_word"
  | "cut_beginning"
  | "unknown_field"
  | "field_without_numbers"
  | "field_of_other_type"
  | "field_left_out"
  | "words_anywhere"
  | "loose_phrase"
  | "no_operator";

/** @internal All of them. */
export const NOTICE_CODES = [
  "words_only",
  "no_word",
  "cut_beginning",
  "unknown_field",
  "field_without_numbers",
  "field_of_other_type",
  "field_left_out",
  "words_anywhere",
  "loose_phrase",
  "no_operator",
] as const satisfies readonly NoticeCode[];

/** A way in which an answer differs from what the caller asked. */
export interface Notice {
  /** What differs. Codes do not change; messages may. */
  readonly code: NoticeCode;
  /** The same for people: what differs, why, and what to do if there is something to do. */
  readonly message: string;
}

/** @internal The notices of an answer by words only. */
export const WORDS_ONLY: readonly Notice[] = [
  {
    code: "words_only",
    message:
      "answered by words only: the documents came with vectors of your own, and the index has no encoder for the text of a " +
      'query; give the query a vector ({ "text": …, "vector": … }) to search by meaning as well, or set lambda to 0',
  },
];

/** @internal Both lists as one; undefined if there is no notice. Nearly all searches have none, so nothing is allocated then. */
export function joinNotices(
  one: readonly Notice[] | undefined,
  other: readonly Notice[] | undefined,
): readonly Notice[] | undefined {
  return one && other ? [...one, ...other] : (one ?? other);
}
