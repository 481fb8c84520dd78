import { describeIndex } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { counted } from "../text/numbers.ts";

/** The page before the first query. */
export function Welcome({ index }: { readonly index: string }) {
  const { answer } = useAnswer(index, describeIndex);
  if (!answer) return null;
  // Without an encoder, a typed query has no vector.
  const parts = answer.semanticDims > 0 && answer.encoder ? "words and by meaning, with one score" : "words";
  return (
    <div class="welcome">
      <p>
        {answer.docs === 0
          ? "This index is empty. New documents appear here."
          : `${counted(answer.docs, "document")}, found by ${parts}.`}
      </p>
      <ul class="keys quiet">
        <li>
          <kbd>/</kbd> goes to the box
        </li>
        <li>
          <kbd>↓</kbd> <kbd>↑</kbd> go through results
        </li>
        <li>
          <kbd>Enter</kbd> explains a result
        </li>
        <li>
          <kbd>Esc</kbd> goes back
        </li>
      </ul>
    </div>
  );
}
