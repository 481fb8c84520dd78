// A heading → the id of its element. The rule is GitHub's, so that a link to a heading works on both.

/** Lower case, without punctuation, a hyphen for each blank. */
export function slug(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** The headings of a Markdown text with their lines, from 1, and ids; the second of a name ends in -1, the third in -2. */
export function headingsOf(text) {
  const seen = new Map();
  const found = [];
  let fence;
  for (const [i, line] of text.split("\n").entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      continue;
    }
    fence = mark;
    const heading = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    const id = slug(plainText(heading));
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    found.push({ line: i + 1, id: count === 0 ? id : `${id}-${count}` });
  }
  return found;
}

/** Markdown as a reader sees it: links by their text, no marks; of tables no borders and no heads, which name no thing. */
export function plainText(markdown) {
  return markdown
    .replace(/^ {0,3}(`{3,}|~{3,}).*$/gm, "")
    .replace(/^\|.*\|\n\|[|\s:-]+\|$/gm, "")
    .replace(/!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)\s]*\)/g, "$1")
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>])/g, "$1")
    .replace(/^\s*\||\|\s*$|\s\|\s/gm, " ")
    .replace(/\*\*|`/g, "")
    .replace(/[ \t]+/g, " ")
    .replace(/\s*\n\s*/g, "\n")
    .trim();
}
