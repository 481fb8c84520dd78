// The type of a value that is only read.

/** The same type with all properties and lists read-only, at every depth. The types of the library are like that. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;
