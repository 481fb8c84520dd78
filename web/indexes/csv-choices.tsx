// What a person says of a CSV file that the server could not read as it is: its delimiter, and which columns are the id, the
// title and the text.

import { useEffect, useState } from "preact/hooks";
import type { UploadColumns } from "../api/calls.ts";
import { visible } from "../text/visible.ts";
import {
  type CsvTables,
  columnsOf,
  DELIMITERS,
  likelyColumns,
  likelyDelimiter,
  readTables,
} from "./csv-columns.ts";

interface CsvChoicesProps {
  readonly file: File;
  /** What was said before. */
  readonly chosen: UploadColumns | undefined;
  readonly onChoose: (columns: UploadColumns) => void;
}

export function CsvChoices({ file, chosen, onChoose }: CsvChoicesProps) {
  const [tables, setTables] = useState<CsvTables>();
  const [choice, setChoice] = useState(chosen ?? {});
  useEffect(() => {
    // A file that is gone, or damaged, has no columns to choose from.
    readTables(file).then(setTables, () => setTables(undefined));
  }, [file]);
  if (!tables) return null;
  const delimiter = choice.delimiter ?? likelyDelimiter(tables);
  const columns = columnsOf(tables[delimiter]);
  if (columns.length === 0) return null;
  const isKnown = (name: string | undefined) => name === "" || columns.includes(name ?? " ");
  const likely = likelyColumns(tables[delimiter]);
  const id = isKnown(choice.id) ? choice.id! : likely.id;
  const title = isKnown(choice.title) ? choice.title! : likely.title;
  const text = isKnown(choice.text) ? choice.text! : likely.text;
  const change = (part: UploadColumns) => setChoice({ ...choice, ...part });
  return (
    <form
      class="csv-choices"
      aria-label={`What ${file.name} has`}
      onSubmit={(event) => {
        event.preventDefault();
        onChoose({ delimiter, id, title, text });
      }}
    >
      <div class="inputs">
        <Choice
          label="Delimiter"
          value={delimiter}
          options={Object.entries(DELIMITERS).map(([value, name]) => ({ value, name }))}
          onChange={(value) => setChoice({ delimiter: value })}
        />
        <Choice label="Id" value={id} options={named(columns)} onChange={(value) => change({ id: value })} />
        <Choice
          label="Title"
          value={title}
          // A column of this name is the title by itself.
          options={[...(columns.includes("title") ? [] : [{ value: "", name: "none" }]), ...named(columns)]}
          onChange={(value) => change({ title: value })}
        />
        <Choice
          label="Text"
          value={text}
          options={named(columns)}
          onChange={(value) => change({ text: value })}
        />
      </div>
      <p>
        <button type="submit" class="plain">
          Add {visible(file.name)} with these columns
        </button>
      </p>
    </form>
  );
}

const named = (columns: readonly string[]) => columns.map((value) => ({ value, name: visible(value) }));

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly name: string }[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  );
}
