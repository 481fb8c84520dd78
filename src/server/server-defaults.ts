// What a server does unless it is told otherwise. Loads nothing, so that the help of the command line can name the values.

/** The port that a server listens on. */
export const DEFAULT_PORT = 7700;
/** The address: it is reached from this machine only. */
export const DEFAULT_HOST = "127.0.0.1";
/** Milliseconds in which a server that closes still takes requests. */
export const DEFAULT_DRAIN_MS = 0;
/** Milliseconds for the requests that run when a server closes. */
export const DEFAULT_GRACE_MS = 10_000;
