// sluice/encode: texts → weights, vectors, or both, by an encoder that you open yourself; and cross-encoders, which rerank hits.

export type { WorkOptions } from "../support/options/work-options.ts";
export type { AnchoredAnalyzer } from "./contract/anchored.ts";
export {
  type CommonDescription,
  type EncoderDescription,
  type LexicalDescription,
  type PooledDescription,
  type Role,
  readDescription,
  type StaticDescription,
} from "./contract/description.ts";
export type {
  EncoderGives,
  Encoding,
  Provider,
  WatchedEncodeOptions,
} from "./contract/encoding.ts";
export { Encoder, type EncoderOptions } from "./encoder.ts";
export { type CachedEncodings, encodeWithCache, type NamedText } from "./encoding-cache.ts";
export type { EncoderPair } from "./open-encoder.ts";
export { CrossEncoder, type CrossEncoderOptions } from "./rerank/cross-encoder.ts";
