// What a key of a server may do.

/** The least first. Each may do what those before it may. */
export const KEY_ACCESS = ["read", "write", "admin"] as const;
export type KeyAccess = (typeof KEY_ACCESS)[number];
