// A type whose properties are read-only to others, while its maker still fills it in.

export type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };
