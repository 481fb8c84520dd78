// The segments of an index, with a bar for the number of documents in each.

import type { IndexAnswer } from "../../src/schemas/index.ts";
import { Scrolling } from "../shell/scrolling.tsx";
import { bytesText, countText } from "../text/numbers.ts";

export function Segments({ segments }: { readonly segments: IndexAnswer["segments"] }) {
  if (segments.length === 0) return <p class="quiet">No segment was written yet.</p>;
  const most = Math.max(...segments.map(({ docs, deleted }) => docs + deleted), 1);
  return (
    <Scrolling label="Segments">
      <table class="segments">
        <caption>Segments</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              Documents
            </th>
            <th scope="col" class="number">
              Deleted
            </th>
            <th scope="col" class="number">
              Size
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {segments.map(({ name, docs, deleted, bytes }) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td class="number">{countText(docs)}</td>
              <td class="number">{countText(deleted)}</td>
              <td class="number">{bytesText(bytes)}</td>
              <td class="bar-cell" aria-hidden="true">
                <span class="lexical" style={{ width: `${(100 * docs) / most}%` }} />
                <span class="semantic" style={{ width: `${(100 * deleted) / most}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
  );
}
