// A query → the same with a random typo in its longest word: a letter dropped, added, changed or swapped with its neighbor.

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The text with one edit in its longest word. */
export function mistype(text: string, random: () => number): string {
  const [longest] = (text.match(/\p{L}+/gu) ?? [""]).sort((a, b) => b.length - a.length);
  const start = text.indexOf(longest);
  const pick = (count: number) => Math.floor(random() * count);
  const at = start + pick(Math.max(1, longest.length - 1));
  const letter = LETTERS[pick(LETTERS.length)];
  const swapped = (text[at + 1] ?? "") + (text[at] ?? "");
  const [removed, added] = [
    [1, ""],
    [0, letter],
    [1, letter],
    [2, swapped],
  ][pick(4)] as [number, string];
  return text.slice(0, at) + added + text.slice(at + removed);
}
