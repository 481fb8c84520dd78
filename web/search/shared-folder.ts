// The values of a field → the folder that all of them are in. Where there is little room, it is cut: what differs is at the end.

/** The beginning that all values share, up to a slash; empty if there is none. */
export function sharedFolder(values: readonly unknown[]): string {
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length < 2 || texts.length < values.length) return "";
  const [first, ...others] = texts;
  let end = 0;
  while (end < first.length && others.every((other) => other[end] === first[end])) end++;
  return first.slice(0, first.lastIndexOf("/", end - 1) + 1);
}
