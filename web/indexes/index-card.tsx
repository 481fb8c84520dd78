// One index: what it holds, and what can be done with it.

import { useEffect, useRef, useState } from "preact/hooks";
import type { IndexAnswer, IndexesAnswer } from "../../src/schemas/index.ts";
import { dropIndex, optimizeIndex, readBackup } from "../api/calls.ts";
import { JobStatus } from "../jobs/job-status.tsx";
import { type JobResult, useJob } from "../jobs/use-jobs.ts";
import { Link } from "../shell/link.tsx";
import { useIndexSize } from "../shell/use-index-size.ts";
import { type IndexSize, sizeText } from "../text/index-size.ts";
import { languageText } from "../text/language.ts";
import { bytesText, millisecondsText } from "../text/numbers.ts";
import { addFile, addFiles } from "./add-files.ts";
import { ConfirmDrop } from "./confirm-drop.tsx";
import { CsvChoices } from "./csv-choices.tsx";
import { isCsv } from "./csv-columns.ts";
import { DropZone } from "./drop-zone.tsx";
import type { Formats } from "./formats.ts";
import { IndexDetails } from "./index-details.tsx";

interface IndexCardProps {
  /** What the server reads. */
  readonly formats: Formats;
  readonly info: IndexAnswer;
  /** What the key may do. */
  readonly access: IndexesAnswer["access"];
  /** Whether the index can be deleted here. */
  readonly canDrop: boolean;
  /** Whether it was just created here. Then it gets the focus. */
  readonly isNew: boolean;
  readonly onDropped: () => void;
}

export function IndexCard({ formats, info, access, canDrop, isNew, onDropped }: IndexCardProps) {
  const { name, docs } = info;
  const canWrite = info.writable && access !== "read";
  const size = useIndexSize(info);
  const job = useJob(name);
  const isBusy = job.state.doing !== undefined;
  const [isDropping, setDropping] = useState(false);
  const isKept = useRef(false);

  const add = (files: readonly File[]) => job.run(...addFiles(name, files));
  /** A table may have other columns than the server expects. Then a person says which are which. */
  const mend = (result: JobResult) => {
    const { upload, error } = result;
    if (!upload || !isCsv(upload.file) || error?.code !== "invalid") return null;
    const { file, columns } = upload;
    return (
      <CsvChoices
        file={file}
        chosen={columns}
        onChoose={(chosen) => {
          job.redo(result, addFile(name, file, chosen));
          heading.current?.focus(); // the button, which had the focus, is gone
        }}
      />
    );
  };
  const optimize = () =>
    job.run({
      doing: `Optimizing ${name}`,
      about: name,
      mayStop: true,
      work: async (report, signal) => {
        const { totalMs } = await optimizeIndex(name, report, signal);
        return `Optimized in ${millisecondsText(totalMs)}.`;
      },
    });
  const backUp = () =>
    job.run({
      doing: `Packing ${name}`,
      about: name,
      work: async (_, signal) => {
        const backup = await readBackup(name, signal);
        save(backup, `${name}-${info.generation}.tar`);
        return `The backup has ${bytesText(backup.size)}.`;
      },
    });
  const drop = () => {
    setDropping(false);
    job.run({
      doing: `Deleting ${name}`,
      about: name,
      work: async (_, signal) => {
        await dropIndex(name, signal);
        onDropped();
        return ""; // the page says it: this card is about to go
      },
    });
  };
  const keep = () => {
    isKept.current = true;
    setDropping(false);
  };
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, [isNew]);

  return (
    <section class="card" aria-labelledby={`index-${name}`}>
      <div class="card-top">
        <h2 id={`index-${name}`} ref={heading} tabIndex={-1}>
          {name}
        </h2>
        <p class="lead">{summaryOf(info, size)}</p>
      </div>
      {canWrite && <DropZone label="Add documents" formats={formats} onFiles={add} />}
      <JobStatus state={job.state} onStop={job.stop} mend={mend} />
      <p class="doors">
        {docs > 0 && <Link change={{ view: "search", index: name, query: "" }}>Search it</Link>}
        {canWrite && docs > 0 && (
          <button
            type="button"
            class="plain"
            aria-label={`Optimize ${name}`}
            disabled={isBusy}
            onClick={optimize}
          >
            Optimize
          </button>
        )}
        {access === "admin" && info.diskBytes !== undefined && (
          <button
            type="button"
            class="plain"
            aria-label={`Download a backup of ${name}`}
            disabled={isBusy}
            onClick={backUp}
          >
            Download a backup
          </button>
        )}
        {canDrop && canWrite && info.diskBytes !== undefined && !isDropping && (
          <button
            type="button"
            class="plain danger"
            aria-label={`Delete ${name}`}
            disabled={isBusy}
            ref={(button) => {
              if (isKept.current) button?.focus(); // the question, which had the focus, is gone
              isKept.current = false;
            }}
            onClick={() => setDropping(true)}
          >
            Delete
          </button>
        )}
      </p>
      {isDropping && <ConfirmDrop name={name} docs={docs} size={size} onDrop={drop} onKeep={keep} />}
      <IndexDetails info={info} />
    </section>
  );
}

function summaryOf(
  { docs, diskBytes, encoder, semanticDims, analyzer, writable }: IndexAnswer,
  size: IndexSize | undefined,
): string {
  return [
    ...(docs === 0 ? ["No documents yet"] : size ? [sizeText(size)] : []),
    diskBytes === undefined ? "in memory" : bytesText(diskBytes),
    semanticDims > 0 || encoder ? "words and meaning" : "words",
    languageText(analyzer),
    ...(writable ? [] : ["read only"]),
  ].join(" · ");
}

/** Lets the browser save bytes as a file. */
function save(bytes: Blob, name: string): void {
  const href = URL.createObjectURL(bytes);
  const link = Object.assign(document.createElement("a"), { href, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 0);
}
