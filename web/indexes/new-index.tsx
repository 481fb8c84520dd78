// The form for a new index. Files that are dropped on it name the index and are added to it.

import { useState } from "preact/hooks";
import { ANALYZER_NAMES, type AnalyzerName } from "../../src/analyze/contract/analyzer-names.ts";
import { createIndex } from "../api/calls.ts";
import { JobStatus } from "../jobs/job-status.tsx";
import { NEW_INDEX, useAllJobs, useJob } from "../jobs/use-jobs.ts";
import { languageText } from "../text/language.ts";
import { addFiles } from "./add-files.ts";
import { DropZone } from "./drop-zone.tsx";
import type { Formats } from "./formats.ts";
import { nameOfFile } from "./name-of-file.ts";

/** The analyzers that are for languages. */
const LANGUAGES = ANALYZER_NAMES.filter((name) => name !== "whitespace");

interface NewIndexProps {
  /** What the server reads. */
  readonly formats: Formats;
  readonly onCreate: (name: string) => void;
}

export function NewIndex({ formats, onCreate }: NewIndexProps) {
  const [name, setName] = useState("");
  const [byMeaning, setByMeaning] = useState(true);
  const [analyzer, setAnalyzer] = useState<AnalyzerName>("universal");
  const [positions, setPositions] = useState(false);
  const [files, setFiles] = useState<readonly File[]>([]);
  const job = useJob(NEW_INDEX);
  const jobs = useAllJobs();
  const create = (event: Event) => {
    event.preventDefault();
    job.run({
      doing: `Creating ${name}`,
      about: name,
      work: async (_, signal) => {
        await createIndex(name, { encoder: byMeaning ? "static" : "none", analyzer, positions }, signal);
        if (files.length > 0) jobs.run(name, ...addFiles(name, files));
        onCreate(name);
        setName("");
        setFiles([]);
        return ""; // the card of the index says the rest
      },
    });
  };
  const take = (chosen: readonly File[]) => {
    setFiles(chosen);
    if (name === "") setName(nameOfFile(chosen[0].name));
  };
  return (
    <form class="card new-index" aria-labelledby="new-index" onSubmit={create}>
      <h2 id="new-index">New index</h2>
      <div class="inputs">
        <label>
          <span>Name</span>
          <input
            type="text"
            required
            maxLength={64}
            pattern="[A-Za-z0-9][A-Za-z0-9_\-]*"
            title="Letters, digits, - and _; the first is a letter or a digit"
            autocomplete="off"
            spellcheck={false}
            value={name}
            onInput={({ currentTarget }) => {
              setName(currentTarget.value);
              job.forget(); // an error about another name
            }}
          />
        </label>
        <label>
          <span>Find by</span>
          <select
            value={byMeaning ? "both" : "words"}
            onChange={({ currentTarget }) => setByMeaning(currentTarget.value === "both")}
          >
            <option value="both">words and meaning</option>
            <option value="words">words</option>
          </select>
        </label>
        <label>
          <span>Language</span>
          <select
            value={analyzer}
            onChange={({ currentTarget }) => setAnalyzer(currentTarget.value as AnalyzerName)}
          >
            {LANGUAGES.map((one) => (
              <option key={one} value={one}>
                {languageText(one)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Phrases</span>
          <select
            value={positions ? "yes" : "no"}
            onChange={({ currentTarget }) => setPositions(currentTarget.value === "yes")}
          >
            <option value="no">not needed</option>
            <option value="yes">"words side by side"</option>
          </select>
        </label>
      </div>
      <DropZone label="Choose files" formats={formats} onFiles={take}>
        {files.length > 0 ? files.map((file) => file.name).join(", ") : undefined}
      </DropZone>
      <p>
        <button type="submit" class="primary" disabled={job.state.doing !== undefined}>
          Create
        </button>
      </p>
      <JobStatus state={job.state} onStop={job.stop} />
    </form>
  );
}
