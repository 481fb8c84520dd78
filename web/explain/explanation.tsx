// Why a document has its score: the terms that add to it, and those that do not.

import type { ExplainAnswer, ExplainRequest } from "../../src/schemas/index.ts";
import { explain } from "../api/calls.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../shell/link.tsx";
import { Failure, Waiting } from "../shell/states.tsx";
import { headingOf } from "../text/heading.ts";
import { Marked } from "../text/marked.tsx";
import { scoreText } from "../text/numbers.ts";
import { shortened } from "../text/shortened.ts";
import { Contributions } from "./contributions.tsx";
import { Missed } from "./missed.tsx";

interface ExplanationProps {
  readonly index: string;
  readonly request: ExplainRequest;
}

const ask = ({ index, request }: ExplanationProps, signal: AbortSignal) => explain(index, request, signal);

export function Explanation(props: ExplanationProps) {
  const { answer, error } = useAnswer(props, ask);
  if (error) return <Failure error={error} />;
  return answer ? <Explained answer={answer} /> : <Waiting what="the reasons" />;
}

function Explained({ answer }: { readonly answer: ExplainAnswer }) {
  const { id, document, highlights, score } = answer;
  const hasTitle = typeof document.title === "string" && document.title.trim() !== "";
  return (
    <>
      <h2 dir="auto">
        <Marked text={shortened(headingOf(id, document))} ranges={hasTitle ? highlights?.title : undefined} />
      </h2>
      <p class="total">
        Score <span class="number">{scoreText(score)}</span>
        <Link class="aside" change={{ explain: undefined, document: id }}>
          Read the document
        </Link>
      </p>
      <Contributions answer={answer} />
      <Missed answer={answer} />
    </>
  );
}
