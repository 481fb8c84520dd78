// One thing has one name (GLOSSARY.md), in American spelling. This finds what is cheap to find: words that are banned, file
// names that say nothing or appear twice, exported names that appear twice, and words that are defined twice.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Ban {
  readonly word: RegExp;
  /** What to write instead, and why. */
  readonly why: string;
}

const BANNED: readonly Ban[] = [
  {
    word: /(?:normal|optim|initial|final|recogn|serial|quant|summar|organ|penal|regular|memor|random|general|synchron|prior|util|minim|maxim|character|tokeni|vector|parametr)is(?:e[ds]?|er|ers|ing|ation)\b/i,
    why: "American spelling: -ize",
  },
  { word: /analys(?:e[ds]?|er|ers|ing)\b/i, why: "American spelling: analyze, analyzer" },
  { word: /(?:col|behavi|neighb|fav|hon|lab)our/i, why: "American spelling: color, behavior, neighbor" },
  { word: /judgement/i, why: "American spelling: judgment" },
  { word: /artefact/i, why: "American spelling: artifact" },
  { word: /\bcentre|\bmetres?\b/i, why: "American spelling: center, meter" },
  { word: /\blicence/i, why: "American spelling: license" },
  { word: /\bunchecked\(/, why: "it verifies a checksum: verifyChecksum" },
  { word: /inverted lists?\b/i, why: "a posting list (GLOSSARY.md)" },
  { word: /\banew\b/i, why: "again: the common word" },
  { word: /\bmistakes? of ours\b/i, why: "a bug" },
  { word: /\bhelp: "[^"]* \((?:all|none|[\d.,]+)\)"/, why: "a default is told as: …; all by default" },
  { word: /\bwhen left out\b|[.] Left out: /, why: "a default is told as: …; 10 by default" },
  { word: /LiveDocs\b/, why: "docs are without deleted ones: countDocs (GLOSSARY.md)" },
  { word: /\bisOurs\b/, why: "say what is ours in it: isBuiltIn, mayReplace, isCreated" },
  {
    word: /\bscore floor|\bfloorScore/i,
    why: "the score a document must beat is the threshold (GLOSSARY.md)",
  },
];

/** Words of other programs. */
const FOREIGN = [/pretokenised=1/]; // a parameter of PISA's bindings

const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((name) => name !== "");

const files = tracked
  .filter((name) => /\.(?:tsx?|mjs|vue|css|html|md|py|java|json|yml)$/.test(name))
  // Kept runs and golden files are records; the glossary and the changelog name what is banned; a tokenizer has a vocabulary
  // of its own.
  .filter(
    (name) =>
      !/^(?:bench\/runs|test\/golden)\/|tokenizer\.json$|package-lock\.json$|words\.test\.ts$|^(?:GLOSSARY|CHANGELOG)\.md$/.test(
        name,
      ),
  );

test("no path has a banned word, and no output of a test is kept", () => {
  const found = tracked.flatMap((path) =>
    BANNED.filter(({ word }) => word.test(path)).map(({ why }) => `${path}: ${why}`),
  );
  expect(found).toEqual([]);
  expect(tracked.filter((path) => /(?:^|\/)(?:test-artifacts|test-results|coverage)\//.test(path))).toEqual(
    [],
  );
});

test("no file has a banned word", () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((name) =>
    readFileSync(join(ROOT, name), "utf8")
      .split("\n")
      .flatMap((line, i) => {
        const ours = FOREIGN.reduce((text, foreign) => text.replace(foreign, ""), line);
        const bans = BANNED.filter(({ word }) => word.test(ours));
        return bans.map(({ word, why }) => `${name}:${i + 1}: "${word.exec(ours)![0]}": ${why}`);
      }),
  );
  expect(found).toEqual([]);
});

test("the glossary defines a word once", () => {
  const glossary = readFileSync(join(ROOT, "GLOSSARY.md"), "utf8");
  const firstCells = [...glossary.matchAll(/^\| ([^|]+?) +\|/gm)].map(([, cell]) => cell);
  // A row may define several words: "λ, `lambda`".
  const words = firstCells
    .flatMap((cell) => cell.replaceAll("`", "").split(", "))
    .filter((word) => !/^(?:word|type|-+)$/.test(word));
  expect(words.length).toBeGreaterThan(100);
  expect(words.filter((word, i) => words.indexOf(word) !== i)).toEqual([]);
});

const sources = files.filter((name) => name.startsWith("src/") && !/\.test\.ts$|\/README\.md$/.test(name));

test("the name of a file says what is inside", () => {
  const empty = /^(?:utils?|helpers?|common|types|misc|shared)\./;
  expect(sources.filter((name) => empty.test(basename(name)))).toEqual([]);
});

test("two files of src have the same name only if they are the same thing twice", () => {
  // A command has the name of what it runs; an AssemblyScript file that of the TypeScript it speeds up; index.ts is an entry.
  const named = sources.filter((name) => !/cli\/commands\/|wasm\/assembly\/|(?:^|\/)index\.ts$/.test(name));
  const names = named.map((name) => basename(name));
  expect(named.filter((_, i) => names.indexOf(names[i]) !== i)).toEqual([]);
});

test("a function that makes an error ends in Error", () => {
  const makesError = /^(?:export )?function (\w+)\([^)]*\): (?:Sluice|Http|Cluster)Error \{/gm;
  const names = sources.flatMap((name) =>
    [...readFileSync(join(ROOT, name), "utf8").matchAll(makesError)].map(([, word]) => `${name}: ${word}`),
  );
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !name.endsWith("Error"))).toEqual([]);
});

/** Files that may export a name of another file, and why. */
const SAME_NAMES: Readonly<Record<string, string>> = {
  "src/lab/train/lazy.ts": "the same functions, loaded when they are first called",
};

test("an exported name of src is declared in one file only", () => {
  const mayRepeat = (name: string) => Object.keys(SAME_NAMES).some((file) => name.startsWith(file));
  const exports = /^export (?:abstract |async )*(?:function\*?|class|const|let|interface|type) ([\w$]+)/gm;
  const declared = sources
    .filter((name) => name.endsWith(".ts") && !name.includes("/assembly/") && !mayRepeat(name))
    .flatMap((name) => {
      const words = [...readFileSync(join(ROOT, name), "utf8").matchAll(exports)].map(([, word]) => word);
      return words.map((word) => ({ name, word }));
    });
  expect(declared.length).toBeGreaterThan(500);
  const first = new Map<string, string>();
  for (const { name, word } of declared) if (!first.has(word)) first.set(word, name);
  const twice = declared.filter(({ name, word }) => first.get(word) !== name);
  expect(twice.map(({ name, word }) => `${word}: ${first.get(word)}, ${name}`)).toEqual([]);
});

/** The longest line of a comment. Longer lines are cut off beside another file, and in a review. */
const COMMENT_LINE = 132;

test("a line of a comment is not too long", () => {
  const found = files
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => {
      const lines = readFileSync(join(ROOT, name), "utf8").split("\n");
      const isLong = (line: string) => line.length > COMMENT_LINE && /^\s*(?:\/\/|\/?\*)/.test(line);
      return lines.flatMap((line, i) =>
        isLong(line) ? [`${name}:${i + 1}: ${line.length} characters`] : [],
      );
    });
  expect(found).toEqual([]);
});
