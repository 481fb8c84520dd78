// Explains the score of a document in a dialog. The browser keeps the focus inside, closes the dialog on Escape and returns
// the focus to the result.

import { useEffect, useRef } from "preact/hooks";
import type { ExplainAnswer, ExplainRequest } from "../../src/schemas/index.ts";
import { useAddress } from "../address/use-address.ts";
import { explain } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Facts } from "../search/facts.tsx";
import { Failure, Waiting } from "../shell/states.tsx";
import { headingOf } from "../text/heading.ts";
import { Marked } from "../text/marked.tsx";
import { scoreText } from "../text/numbers.ts";
import { Contributions } from "./contributions.tsx";
import { Missed } from "./missed.tsx";

interface ExplainDialogProps {
  readonly index: string;
  readonly id: string;
  readonly query: string;
  readonly lambda: number | undefined;
}

interface Question {
  readonly index: string;
  readonly request: ExplainRequest;
}

const ask = ({ index, request }: Question, signal: AbortSignal) => explain(index, request, signal);

export function ExplainDialog({ index, id, query, lambda }: ExplainDialogProps) {
  const [, go] = useAddress();
  const dialog = useRef<HTMLDialogElement>(null);
  const request = { query, id, highlight: true, ...(lambda !== undefined && { lambda }) };
  const { answer, error } = useAnswer({ index, request }, ask);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    dialog.current?.close();
    go({ explain: undefined }, { undo: true });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the sheet closes it, and so does Escape
    <dialog
      ref={dialog}
      class="explain"
      aria-labelledby="explained"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={({ target }) => target === dialog.current && close()}
    >
      <div class="sheet">
        <button type="button" class="close" aria-label="Close" onClick={close}>
          <span aria-hidden="true">×</span>
        </button>
        <p class="overline" id="explained">
          Why this result
        </p>
        {error ? (
          <Failure error={error} />
        ) : answer ? (
          <Explained answer={answer} />
        ) : (
          <Waiting what="the reasons" />
        )}
      </div>
    </dialog>
  );
}

function Explained({ answer }: { readonly answer: ExplainAnswer }) {
  const { id, document, highlights, score } = answer;
  const titled = typeof document.title === "string" && document.title.trim() !== "";
  return (
    <>
      <h2>
        <Marked text={headingOf(id, document)} ranges={titled ? highlights?.title : undefined} />
      </h2>
      <p class="total">
        Score <span class="number">{scoreText(score)}</span>
      </p>
      <Contributions answer={answer} />
      <Missed answer={answer} />
      <h3>The document</h3>
      {typeof document.text === "string" && (
        <p class="text" dir="auto">
          <Marked text={document.text} ranges={highlights?.text} />
        </p>
      )}
      <Facts document={{ id, ...document }} />
    </>
  );
}
