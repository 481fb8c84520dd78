// The names of the encoders of this package. They are apart from what opens them, because a page may list them.

export const PACKAGED_ENCODERS = [
  ...(["static", "static:128", "static:64"] as const),
  ...(["builtin", "builtin:vectors", "builtin:words"] as const),
];
