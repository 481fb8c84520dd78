// The public functions of training. Each loads its code on the first call, so an app that only searches neither waits for
// it nor keeps it in memory.

/** Reads and checks a config file. */
export const readTrainConfig: typeof import("./config.ts").readTrainConfig = async (...given) =>
  (await import("./config.ts")).readTrainConfig(...given);

/** Checks a config that is not in a file and fills in defaults. Paths are relative to the folder of `file`, which errors name. */
export async function checkedTrainConfig(value: unknown, file: string) {
  return (await import("./config.ts")).checkedTrainConfig(value, file);
}

/** Trains a model into a folder, or resumes the run in that folder. */
export const train: typeof import("./train.ts").train = async (...given) =>
  (await import("./train.ts")).train(...given);

/** Encodes all texts with the config's teacher and keeps the encodings (`teacher.keep`), so that a run starts at once. */
export const prepareTeacher: typeof import("./train.ts").prepareTeacher = async (...given) =>
  (await import("./train.ts")).prepareTeacher(...given);

/** Adds a teacher's scores to the examples of a training file. */
export const distill: typeof import("./distill.ts").distill = async (...given) =>
  (await import("./distill.ts")).distill(...given);

/** Finds hard negatives for training queries: passages that an encoder or BM25 ranks high and that are not marked relevant. */
export const mine: typeof import("./mine.ts").mine = async (...given) =>
  (await import("./mine.ts")).mine(...given);

/** Writes an encoder's folder from a checkpoint, or from the newest checkpoint of a run. */
export const exportCheckpoint: typeof import("./export-checkpoint.ts").exportCheckpoint = async (...given) =>
  (await import("./export-checkpoint.ts")).exportCheckpoint(...given);

/** Opens an encoder from its folder, from a checkpoint, or from a run (its newest checkpoint). */
export const openAnyEncoder: typeof import("./any-encoder.ts").openAnyEncoder = async (...given) =>
  (await import("./any-encoder.ts")).openAnyEncoder(...given);
