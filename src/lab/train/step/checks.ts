// Checks batches before a step. Throws on a batch that the model cannot compute.

import { UsageError } from "../../../errors.ts";
import type { Batch, MaskedBatch, TokenRows } from "../batch.ts";
import { needsTeacher } from "../loss/loss.ts";
import type { EncoderShape, LossSettings, ModelSettings } from "../model/settings.ts";

export function checkBatch(batch: Batch, { encoder }: ModelSettings): void {
  const { queries, passages, passagesPerQuery, teacher } = batch;
  checkTexts(queries, encoder, "queries");
  checkTexts(passages, encoder, "passages");
  if (passages.rows !== queries.rows * passagesPerQuery) {
    throw new UsageError(
      `the batch has ${passages.rows} passages, expected ${queries.rows * passagesPerQuery}: ` +
        `${queries.rows} queries × ${passagesPerQuery}`,
    );
  }
  if (!teacher) return;
  if (teacher.length !== queries.rows * passages.rows) {
    throw new UsageError(
      `${teacher.length} scores of a teacher for ${queries.rows} queries × ${passages.rows} passages`,
    );
  }
  if (!teacher.every(Number.isFinite)) throw new UsageError("a teacher's score is NaN or infinite");
}

export function checkTeacher({ teacher }: Batch, loss: LossSettings): void {
  if (!teacher && needsTeacher(loss)) {
    throw new UsageError("distillation needs a teacher's scores in every batch");
  }
}

export function checkMasked(batch: MaskedBatch, { head, encoder }: ModelSettings): void {
  const { texts, at, labels, weighed } = batch;
  if (head.kind !== "joint" || !head.lexical || head.lexical.kind === "unicoil") {
    throw new UsageError("the model has no head over its vocabulary to warm up");
  }
  checkTexts(texts, encoder, "texts");
  if (at.length === 0 || at.length !== labels.length) {
    throw new UsageError(`${at.length} masked tokens and ${labels.length} labels`);
  }
  const isInText = (position: number) =>
    position >= 0 && position % texts.width < (texts.lengths[Math.floor(position / texts.width)] ?? 0);
  if (!at.every(isInText)) throw new UsageError("the position of a masked token is outside of its text");
  if (weighed) {
    if (head.lexical.kind !== "delade") throw new UsageError("the model's head gives tokens no weights");
    if (weighed.at.length === 0 || weighed.at.length !== weighed.weights.length) {
      throw new UsageError(`${weighed.at.length} positions of tokens and ${weighed.weights.length} weights`);
    }
    if (!weighed.at.every(isInText))
      throw new UsageError("the position of a target weight is outside of its text");
    if (!weighed.weights.every(Number.isFinite))
      throw new UsageError("the target weight of a token is NaN or infinite");
  }
  if (!labels.every((label) => label >= 0 && label < encoder.vocabulary)) {
    throw new UsageError("the label of a masked token is outside of the vocabulary");
  }
}

/** Throws on texts that a model cannot read. `what` names them in the error. */
export function checkTexts(texts: TokenRows, { vocabulary, positions }: EncoderShape, what: string): void {
  const { rows, width, ids, lengths } = texts;
  if (rows === 0) throw new UsageError(`the batch has no ${what}`);
  if (ids.length !== rows * width || lengths.length !== rows) {
    throw new UsageError(
      `${what}: ${ids.length} ids and ${lengths.length} lengths for ${rows} rows of ${width}`,
    );
  }
  for (let row = 0; row < rows; row++) {
    const length = lengths[row];
    if (length < 1 || length > width) {
      throw new UsageError(`${what}: row ${row} has ${length} tokens, expected 1 to ${width}`);
    }
    if (length > positions) {
      throw new UsageError(
        `${what}: row ${row} has ${length} tokens, but the model reads at most ${positions}`,
        "cut texts to a shorter maxLength",
      );
    }
    for (let at = row * width; at < row * width + length; at++) {
      if (ids[at] >= 0 && ids[at] < vocabulary) continue;
      throw new UsageError(
        `${what}: row ${row} has the token id ${ids[at]}, but the vocabulary has ${vocabulary} tokens`,
        "tokenize with the model's own tokenizer",
      );
    }
  }
}
