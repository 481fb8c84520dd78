// The options of an index → what it begins with, if its folder holds none.

import { type BuildOptions, firstLambda, forNewIndex, recordOf, type WithModel } from "./index-options.ts";
import { type Fresh, freshModel } from "./new-index.ts";

/** @internal A function that makes the beginning of an index when it is first needed, and returns the same one later. */
export function freshIndex(options: WithModel<BuildOptions>): () => Fresh {
  let made: Fresh | undefined;
  return () => {
    made ??= makeFresh(options);
    return made;
  };
}

function makeFresh(options: WithModel<BuildOptions>): Fresh {
  const { encoder, quantize } = options;
  return {
    model: freshModel(forNewIndex(options)),
    lambda: firstLambda(options),
    ...(encoder && { encoder: recordOf(encoder) }),
    ...(quantize && { quantize }),
  };
}
