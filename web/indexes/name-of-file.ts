// The name of a file → a name for an index: letters, digits, - and _.

const LONGEST = 64;

export function nameOfFile(file: string): string {
  const stem = file.replace(/\.gz$/i, "").replace(/\.[^.]*$/, "");
  const plain = stem
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^[-_]+|-+$/g, "");
  return plain.slice(0, LONGEST) || "documents";
}
