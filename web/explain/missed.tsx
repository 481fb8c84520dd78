// Words of the query that added nothing to the score, and why: they are not in the document, densification dropped them,
// or they have no slot in the query's row.

import type { ComponentChildren } from "preact";
import type { ExplainAnswer } from "../../src/schemas/index.ts";
import { termText } from "../text/term-text.ts";
import { visible } from "../text/visible.ts";

type Term = ExplainAnswer["terms"][number];

export function Missed({ answer: { missed, lost, terms } }: { readonly answer: ExplainAnswer }) {
  const collided = missed.filter(({ term }) => lost.includes(term));
  const absent = missed.filter(({ term }) => !lost.includes(term));
  const unused = terms.filter(({ fate }) => fate !== "kept");
  if (missed.length + unused.length === 0)
    return <p class="quiet">Every word of the query is in the document.</p>;
  return (
    <>
      {collided.length > 0 && (
        <Group title="Lost to collisions">
          {collided.map(({ term, slotHolds }) => (
            <li key={term}>
              <Word text={term} /> is in the text, but a heavier word
              {slotHolds !== undefined && (
                <>
                  , <Word text={slotHolds} />,
                </>
              )}{" "}
              has its slot in the row.
            </li>
          ))}
        </Group>
      )}
      {absent.length > 0 && (
        <Group title="Not in this document">
          <li>
            {absent.map((term, i) => (
              <>
                {i > 0 && ", "}
                <Word text={termText(term)} />
              </>
            ))}
          </li>
        </Group>
      )}
      {unused.length > 0 && (
        <Group title="Not part of the query">
          {unused.map((term) => (
            <li key={termText(term)}>
              <Word text={termText(term)} /> <Reason term={term} />
            </li>
          ))}
        </Group>
      )}
    </>
  );
}

function Reason({ term: { fate, by } }: { readonly term: Term }) {
  switch (fate) {
    case "outweighed":
      return (
        <>
          shares its slot with <Word text={by ?? "another word"} />, which is heavier.
        </>
      );
    case "discarded":
      return <>is dropped by the slicing.</>;
    case "weightless":
      return <>has no weight.</>;
    default:
      return <>is in no document.</>;
  }
}

function Word({ text }: { readonly text: string }) {
  return <bdi class="word">{visible(text)}</bdi>;
}

function Group({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="missed">
      <h3>{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}
