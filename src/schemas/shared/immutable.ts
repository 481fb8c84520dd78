// The type of a value that is only read.

/** A type whose properties and lists are read-only, at every depth, as those of the library's types are. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;
