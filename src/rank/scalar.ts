// The scalar kernel is in definition.ts; this name stays for its importers.

export { scalar } from "./definition.ts";
