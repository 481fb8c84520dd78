// A whole document, to read: its title, its fields, its text with the words of the query marked, and what is near it.

import type { ExplainRequest, HitAnswer } from "../../src/schemas/index.ts";
import { explain, readDocument } from "../api/calls.ts";
import { ApiError } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { Link } from "../shell/link.tsx";
import { Failure, Waiting } from "../shell/states.tsx";
import { Facts } from "../text/facts.tsx";
import { type Fields, headingOf } from "../text/heading.ts";
import { ShortHeading } from "../text/short-heading.tsx";
import { Passages } from "./passages.tsx";
import { Similar } from "./similar.tsx";
import { wholeOf } from "./whole.ts";

interface DocumentViewProps {
  readonly index: string;
  readonly id: string;
  /** The search that found it, if there is one: the words of its query are marked. */
  readonly search: Omit<ExplainRequest, "id"> | undefined;
}

interface ReadDocument {
  readonly id: string;
  readonly document: Fields;
  readonly highlights?: HitAnswer["highlights"];
}

/** With a query, the explanation has the document and where its words are. */
const askFor = ({ index, id, search }: DocumentViewProps, signal: AbortSignal): Promise<ReadDocument> =>
  search ? explain(index, { ...search, id }, signal) : readDocument(index, id, signal);

/** A document that was cut has no entry of its own: its first passage opens. */
const ask = (props: DocumentViewProps, signal: AbortSignal): Promise<ReadDocument> =>
  askFor(props, signal).catch((error) => {
    const isMissing = error instanceof ApiError && error.code === "no_document";
    if (!isMissing) throw error;
    return askFor({ ...props, id: `${props.id}#1` }, signal).catch(() => {
      throw error;
    });
  });

export function DocumentView(props: DocumentViewProps) {
  const { answer, error } = useAnswer(props, ask);
  if (error) return <Failure error={error} />;
  if (!answer) return <Waiting what="the document" />;
  const whole = wholeOf(answer.document);
  return (
    <>
      <DocumentBody read={answer} />
      <p class="doors">{props.search && <Link change={{ explain: answer.id }}>Why this result</Link>}</p>
      {whole && <Passages index={props.index} id={answer.id} document={answer.document} whole={whole} />}
      <Similar index={props.index} id={answer.id} document={answer.document} />
    </>
  );
}

function DocumentBody({ read: { id, document, highlights } }: { readonly read: ReadDocument }) {
  const hasTitle = typeof document.title === "string" && document.title.trim() !== "";
  return (
    <article class="whole">
      <ShortHeading text={headingOf(id, document)} ranges={hasTitle ? highlights?.title : undefined} />
      <Facts document={{ id, ...document }} />
      {typeof document.text === "string" && <Markdown text={document.text} ranges={highlights?.text} />}
    </article>
  );
}
