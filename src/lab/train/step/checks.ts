// Batches that cannot be computed are refused before anything is.

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
      `${passages.rows} passages for ${queries.rows} queries of ${passagesPerQuery} passages each`,
    );
  }
  if (!teacher) return;
  if (teacher.length !== queries.rows * passages.rows) {
    throw new UsageError(
      `${teacher.length} scores of a teacher for ${queries.rows} queries × ${passages.rows} passages`,
    );
  }
  if (!teacher.every(Number.isFinite)) throw new UsageError("a teacher's score is not a number");
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
  const isReal = (place: number) =>
    place >= 0 && place % texts.width < (texts.lengths[Math.floor(place / texts.width)] ?? 0);
  if (!at.every(isReal)) throw new UsageError("a masked token stands where no text has one");
  if (weighed) {
    if (head.lexical.kind !== "delade") throw new UsageError("the model's head gives tokens no weights");
    if (weighed.at.length === 0 || weighed.at.length !== weighed.weights.length) {
      throw new UsageError(`${weighed.at.length} places of tokens and ${weighed.weights.length} weights`);
    }
    if (!weighed.at.every(isReal)) throw new UsageError("a weight stands where no text has a token");
    if (!weighed.weights.every(Number.isFinite)) throw new UsageError("the weight of a token is no number");
  }
  if (!labels.every((label) => label >= 0 && label < encoder.vocabulary)) {
    throw new UsageError("the label of a masked token is outside of the vocabulary");
  }
}

/** Refuses texts a model cannot read; `what` names them. */
export function checkTexts(texts: TokenRows, { vocabulary, positions }: EncoderShape, what: string): void {
  const { rows, width, ids, lengths } = texts;
  if (rows === 0) throw new UsageError(`a batch without ${what}`);
  if (ids.length !== rows * width || lengths.length !== rows) {
    throw new UsageError(
      `${what}: ${ids.length} ids and ${lengths.length} lengths for ${rows} rows of ${width}`,
    );
  }
  for (let row = 0; row < rows; row++) {
    const length = lengths[row];
    if (length < 1 || length > width) {
      throw new UsageError(`${what}: row ${row} has ${length} tokens in ${width} places`);
    }
    if (length > positions) {
      throw new UsageError(
        `${what}: row ${row} has ${length} tokens, and the model reads at most ${positions}`,
        "cut texts to a shorter maxLength",
      );
    }
    for (let at = row * width; at < row * width + length; at++) {
      if (ids[at] >= 0 && ids[at] < vocabulary) continue;
      throw new UsageError(
        `${what}: row ${row} has the token ${ids[at]}, and the vocabulary ${vocabulary}`,
        "tokenise with the model's own tokenizer",
      );
    }
  }
}
