// A document and a number → the id of its passage.

/** The id of a passage of a document. */
export function passageId(documentId: string, number: number): string {
  return `${documentId}#${number}`;
}
