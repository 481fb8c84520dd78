// How results are ordered and grouped, if the documents have fields for it.

import { FIRST_HITS } from "../address/address.ts";
import { useAddress } from "../address/use-address.ts";
import { visible } from "../text/visible.ts";
import { type Field, groupFieldOf, isFilterable } from "./field.ts";
import { groupOf } from "./search-request.ts";

interface ToolbarProps {
  readonly fields: readonly Field[];
  /** Whether meaning finds documents, too. */
  readonly isByMeaning: boolean;
}

export function Toolbar({ fields, isByMeaning }: ToolbarProps) {
  const useful = fields.filter(isFilterable);
  const numbers = useful.filter(({ range }) => range !== undefined);
  const passages = groupFieldOf(fields);
  const groups = useful.filter(({ name, choices }) => choices && name !== passages).map(({ name }) => name);
  if (numbers.length + groups.length === 0 && passages === undefined && !isByMeaning) return null;
  return (
    <div class="toolbar">
      {numbers.length > 0 && <SortChoice names={numbers.map(({ name }) => name)} />}
      {(groups.length > 0 || passages !== undefined) && (
        <GroupChoice fields={fields} groups={groups} passages={passages} />
      )}
      {isByMeaning && <WordsChoice />}
    </div>
  );
}

/** Leaves out what only meaning finds: sorted by a field, it would stand among what has the words. */
function WordsChoice() {
  const [{ match }, go] = useAddress();
  return (
    <label class="only-words">
      <input
        type="checkbox"
        checked={match === "any"}
        onChange={({ currentTarget: { checked } }) =>
          go({ match: checked ? "any" : undefined, k: FIRST_HITS })
        }
      />
      <span>Only with words of the query</span>
    </label>
  );
}

function SortChoice({ names }: { readonly names: readonly string[] }) {
  const [{ sort = "" }, go] = useAddress();
  return (
    <label>
      <span>Sort</span>
      <select
        value={sort}
        onChange={({ currentTarget: { value } }) => go({ sort: value || undefined, k: FIRST_HITS })}
      >
        <option value="">best first</option>
        {names.flatMap((name) => [
          <option key={`${name}:desc`} value={`${name}:desc`}>
            {visible(name)} ↓
          </option>,
          <option key={`${name}:asc`} value={`${name}:asc`}>
            {visible(name)} ↑
          </option>,
        ])}
      </select>
    </label>
  );
}

interface GroupChoiceProps {
  readonly fields: readonly Field[];
  readonly groups: readonly string[];
  /** The field that names the document of a passage, if there is one. */
  readonly passages: string | undefined;
}

function GroupChoice({ fields, groups, passages }: GroupChoiceProps) {
  const [address, go] = useAddress();
  return (
    <label>
      <span>Show</span>
      <select
        value={groupOf(fields, address) ?? "none"}
        onChange={({ currentTarget: { value } }) => go({ group: value, k: FIRST_HITS })}
      >
        {passages !== undefined && <option value={passages}>each document once</option>}
        <option value="none">{passages === undefined ? "all documents" : "all passages"}</option>
        {groups.map((name) => (
          <option key={name} value={name}>
            one for each {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
