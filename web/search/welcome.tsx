// The page before the first query: what is in the index, queries to try, and some of its documents.

import type { IndexAnswer } from "../../src/schemas/index.ts";
import { MarkdownLine } from "../markdown/markdown.tsx";
import { Link } from "../shell/link.tsx";
import { useIndexSize } from "../shell/use-index-size.ts";
import { Breakable } from "../text/breakable.tsx";
import { headingOf } from "../text/heading.ts";
import { type IndexSize, sizeText } from "../text/index-size.ts";
import { languageText } from "../text/language.ts";
import { plainText } from "../text/numbers.ts";
import { shortened } from "../text/shortened.ts";
import { valueText } from "../text/value-text.ts";
import { visible } from "../text/visible.ts";
import type { Example } from "./examples.ts";
import { type Field, fieldLabel, isFilterable } from "./field.ts";
import { QueriesToTry, useExamples } from "./queries-to-try.tsx";

/** Characters of an example's text. */
const LENGTH = 140;
/** Values of a field that are named. */
const MOST_VALUES = 4;

interface WelcomeProps {
  readonly info: IndexAnswer;
  readonly fields: readonly Field[];
}

export function Welcome({ info, fields }: WelcomeProps) {
  const examples = useExamples(info.name);
  const size = useIndexSize(info);
  return (
    <div class="welcome">
      <p class="welcome-lead">{summaryOf(info, size)}</p>
      {info.docs === 0 && <AddDocuments info={info} />}
      <QueriesToTry examples={examples} />
      {examples.length > 0 && <Examples examples={examples} />}
      <FieldList fields={fields.filter(isFilterable)} analyzer={info.analyzer} />
      <Keys />
    </div>
  );
}

/** What an empty index needs first. */
function AddDocuments({ info }: { readonly info: IndexAnswer }) {
  if (!info.writable) return null;
  return (
    <p class="doors">
      <Link change={{ view: "indexes", query: "" }}>Add documents</Link>
    </p>
  );
}

function summaryOf({ docs, semanticDims, encoder }: IndexAnswer, size: IndexSize | undefined): string {
  if (docs === 0) return "This index is empty.";
  if (!size) return "\u00a0"; // keeps its line
  // Without an encoder, a typed query has no vector.
  const parts = semanticDims > 0 && encoder ? "words and by meaning, with one score" : "words";
  return `${sizeText(size)}, found by ${parts}.`;
}

function Examples({ examples }: { readonly examples: readonly Example[] }) {
  return (
    <section aria-labelledby="examples">
      <h2 id="examples">Some of them</h2>
      <ul class="examples">
        {examples.map(({ id, document }) => (
          <li key={id}>
            <Link change={{ document: id }}>
              <bdi>{visible(shortened(headingOf(id, document)))}</bdi>
            </Link>
            {typeof document.text === "string" && (
              <p class="quiet" dir="auto">
                <MarkdownLine text={beginning(document.text)} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function FieldList({ fields, analyzer }: { readonly fields: readonly Field[]; readonly analyzer: string }) {
  return (
    <section aria-labelledby="fields">
      <h2 id="fields">What they have</h2>
      <dl class="figures">
        <div>
          <dt>language of words</dt>
          <dd>{languageText(analyzer)}</dd>
        </div>
        {fields.map((field) => (
          <div key={field.name}>
            <dt>
              <bdi>{fieldLabel(field.name)}</bdi>
            </dt>
            <dd>
              <bdi>
                <Breakable text={valuesText(field)} />
              </bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function valuesText({ range, choices = [] }: Field): string {
  if (choices.length === 0 && range) return `${plainText(range.min)} to ${plainText(range.max)}`;
  const named = choices.slice(0, MOST_VALUES).map(({ value }) => valueText(value));
  const more = choices.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function beginning(text: string): string {
  if (text.length <= LENGTH) return text;
  const cut = text.slice(0, LENGTH);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), LENGTH / 2))} …`;
}

function Keys() {
  return (
    <ul class="keys quiet">
      <li>
        <kbd>/</kbd> goes to the box
      </li>
      <li>
        <kbd>↓</kbd> <kbd>↑</kbd> go through results
      </li>
      <li>
        <kbd>Enter</kbd> opens a result
      </li>
      <li>
        <kbd>Esc</kbd> goes back
      </li>
    </ul>
  );
}
