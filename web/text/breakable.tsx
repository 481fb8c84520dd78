import { visible } from "./visible.ts";

/** A text that may break after a slash. A browser breaks a path in the middle of a word. */
export function Breakable({ text }: { readonly text: string }) {
  return (
    <>
      {visible(text)
        .split(/(?<=\/)/)
        .map((part, i) => (
          <>
            {i > 0 && <wbr />}
            {part}
          </>
        ))}
    </>
  );
}
