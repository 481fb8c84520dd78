// The names of the encoders of this package. A page lists them, so this file opens no
// encoder.

export const PACKAGED_ENCODERS = [
  ...(["static", "static:128", "static:64"] as const),
  ...(["builtin", "builtin:vectors", "builtin:words"] as const),
];
