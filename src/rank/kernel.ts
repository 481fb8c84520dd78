// The contract is in definition.ts; this name stays for its importers.

export type { Kernel } from "./definition.ts";
