// Keyboard shortcuts: / focuses the box, the arrow keys move through the results, Escape goes back to the box. Results are
// links, so Enter opens them without code here.

import { useEffect } from "preact/hooks";

export function useSearchKeys(frame: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      const box = frame.current?.querySelector<HTMLInputElement>("#query");
      if (!box || !frame.current) return;
      const target = document.activeElement;
      const hits = [...frame.current.querySelectorAll<HTMLElement>("[data-hit]")];
      const at = hits.indexOf(target as HTMLElement);
      const isTyping = target instanceof HTMLElement && target.matches("input, select, textarea");

      // Where somebody types, / is a letter.
      if (event.key === "/" && !isTyping) box.select();
      else if (event.key === "ArrowDown" && target === box && hits.length > 0) hits[0].focus();
      else if (event.key === "ArrowDown" && at >= 0) hits[Math.min(at + 1, hits.length - 1)].focus();
      else if (event.key === "ArrowUp" && at >= 0) (hits[at - 1] ?? box).focus();
      else if (event.key === "Escape" && at >= 0) box.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [frame]);
}
