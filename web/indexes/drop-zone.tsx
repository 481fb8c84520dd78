// A place for files: one drops them there, or chooses them in a dialog of the system.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { acceptedEndings, type Formats, formatsText } from "./formats.ts";

interface DropZoneProps {
  readonly label: string;
  /** What the server reads. */
  readonly formats: Formats;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ComponentChildren;
}

export function DropZone({ label, formats, onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const id = useId();
  const take = (files: FileList | null | undefined) => {
    if (files && files.length > 0) onFiles([...files]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard
    <div
      class={isOver ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault(); // allows to drop here
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <label class="file" for={id}>
        {label}
      </label>
      <input
        id={id}
        class="for-ears"
        type="file"
        multiple
        accept={acceptedEndings(formats)}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          currentTarget.value = ""; // the same file can be chosen again
        }}
      />
      <span class="quiet">{children ?? `or drop a file here: ${formatsText(formats)}`}</span>
    </div>
  );
}
