// The fields of a document that have a meaning of their own. All other fields are metadata.

/** The id, and the fields that a row is made of. They are kept apart from the fields that come back. */
export const ROW_PART_FIELDS = ["id", "weights", "termFactors", "vector"] as const;

/** The fields that hold no text to search, whatever is in them. */
export const TEXTLESS_FIELDS: ReadonlySet<string> = new Set(ROW_PART_FIELDS);

/** The fields that are not metadata: nobody can filter, sort or count them. */
export const RESERVED_FIELDS: ReadonlySet<string> = new Set([...ROW_PART_FIELDS, "title", "text"]);
