// Functions that do something begin with a verb, and a boolean says what is true (CONTRIBUTING.md, "Names"). What does something
// here is async, or returns nothing.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type ts6 from "../../docs/node_modules/typescript/lib/typescript.d.ts";
import { compile, root, ts } from "./compile.ts";

/**
 * The first words of names. `each` calls back with each, and `on` when something happens. `with` works with something that it
 * opens, or adds it. `to` converts.
 */
const VERBS = new Set(
  `abort accumulate add admit advance aggregate align allocate allow answer append ask assign audit backup begin build bundle
   catch change check choose claim clean clear close commit compare compile complete compress compute connect copy count create
   cut decide decode delete describe detach dispatch dispose distill do double download draw drop each encode end estimate
   evaluate exclude explain export fail fetch fill find finish flush forget free gather get give group grow gunzip handle hide
   highlight ignore import infer inflate install join judge keep kill lay learn let limit link list listen load lock log look
   lose make mark measure merge mine move name narrow normalize note on open optimize pack pad parse pass pause place plot prepare
   print pull push put raise rank read receive record recount refine refresh refuse regroup reject release reload remember
   remove renumber reopen repair repeat replace reply report represent request require rerank rescore reserve reset resolve
   restart restore resume retire retry reweigh rise roll rollback rotate run save scale scan score search select send serve set settle
   share show sink skip sniff sort spill spool stage start step stop suggest sum sync take tally throw time to tokenize train
   try tune turn undo unlock unmark unpack unreserve update upload upsert use verify wait walk warm with write yield`.split(
    /\s+/,
  ),
);

/** The first words of what answers yes or no. Or a verb in the third person: `holds`, `readsTexts`. */
const QUESTIONS = new Set(["are", "can", "exists", "do", "has", "is", "may", "needs"]);
const isThirdPerson = (word: string) => /^[a-z]+s$/.test(word);

/** Names that users or others know, and why they stay. */
const KNOWN: Readonly<Record<string, string>> = {
  ...{
    document: "of Searchable",
    documents: "of Searchable",
    passages: "of Searchable",
    vector: "of Searchable",
    fields: "of Searchable",
  },
  idle: "of Sluice",
  checkedTrainConfig: "of sluice/lab",
  keysOfFile: "of sluice/server",
  main: "what a program begins with",
  next: "of iterators",
  done: "of a transaction of LMDB",
};

/** Booleans whose names users type or read, and keys that files of others or of ours have. All other booleans follow the rule. */
const KNOWN_BOOLEANS: Readonly<Record<string, readonly string[]>> = {
  "options of an index and of its changes": [
    "readOnly",
    "create",
    "overwrite",
    "upsert",
    "withPassages",
    "writable",
  ],
  "options of a search": ["prefix", "syntax", "total", "highlight", "rescore", "log"],
  "answers and explanations": ["exact", "expanded", "selected"],
  "what an encoder gives, named as a document names it": ["vector", "termFactors"],
  "options of analyzers": ["foldAccents", "lowercase", "stripAccents", "splitChinese", "cleanText"],
  "options of the server, and lines of its logs": ["trustProxy", "slowLogQueries", "commit", "committed"],
  "options and results of sluice/lab": [
    "excludeSelf",
    "bm25",
    "resume",
    "finished",
    "dark",
    "scattered",
    "percent",
  ],
  "keys of sluice.json and of configs": [
    ...["pooled", "normalize", "semantic", "withoutCls", "frozenEncoder", "frozenWordEmbeddings"],
  ],
  "keys of commit records and of segments": ["untaught", "rotated", "sparse"],
  "keys of Hugging Face's tokenizer.json": ["clean_text", "strip_accents", "handle_chinese_chars"],
  "of util.parseArgs and OpenAPI": ["multiple", "inlineValue", "required"],
  "of LanceDB and Zvec": ["deleteUnverified", "ok"],
};

const files = execFileSync("git", ["ls-files", "src", "web", "bench"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|\.d\.ts$|\/assembly\//.test(name))
  // LangChain has chosen the names of its vector stores.
  .filter((name) => !name.startsWith("src/langchain/"));

type Callable = ts6.FunctionDeclaration | ts6.MethodDeclaration | ts6.ArrowFunction;

function doesSomething(callable: Callable): boolean {
  const isAsync = callable.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
  return isAsync || /^(?:void|Promise<void>)$/.test(callable.type?.getText() ?? "");
}

function returnsBoolean(callable: Callable): boolean {
  return callable.type?.getText() === "boolean";
}

const firstWord = (name: string) => /^#?_?([A-Z]*[a-z0-9]*)/.exec(name)![1];
const isQuestion = (word: string) => QUESTIONS.has(word) || isThirdPerson(word);

/** The names of functions at the top of a file, and of methods of classes, that are `wanted`. */
function namesOf(file: string, wanted: (callable: Callable) => boolean): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const names: string[] = [];
  const visit = (node: ts6.Node): void => {
    const isTop = node.parent === source || node.parent?.parent?.parent === source;
    if (ts.isFunctionDeclaration(node) && isTop && wanted(node)) names.push(node.name!.text);
    if (ts.isVariableDeclaration(node) && isTop && node.initializer && ts.isArrowFunction(node.initializer))
      if (wanted(node.initializer)) names.push(node.name.getText());
    if (ts.isMethodDeclaration(node) && ts.isClassLike(node.parent) && wanted(node))
      if (!ts.isComputedPropertyName(node.name)) names.push(node.name.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

type BooleanDeclaration =
  | ts6.PropertySignature
  | ts6.PropertyDeclaration
  | ts6.GetAccessorDeclaration
  | ts6.ParameterDeclaration
  | ts6.VariableDeclaration
  | ts6.BindingElement;

function declaresValue(node: ts6.Node): node is BooleanDeclaration {
  // A name that is taken out of an object is that of the property, unless it is given another one.
  if (ts.isBindingElement(node)) return node.propertyName !== undefined;
  return (
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isGetAccessor(node) ||
    ts.isParameter(node) ||
    ts.isVariableDeclaration(node)
  );
}

/** Whether a value of the type is a boolean, if it is there. */
function isBoolean(type: ts6.Type): boolean {
  const absent = ts.TypeFlags.Undefined | ts.TypeFlags.Null;
  const present = (type.isUnion() ? type.types : [type]).filter(({ flags }) => (flags & absent) === 0);
  return present.length > 0 && present.every(({ flags }) => (flags & ts.TypeFlags.BooleanLike) !== 0);
}

/** The properties, parameters and variables of all files that are booleans, and whose names ask no question. */
function listUnasked(): { file: string; line: number; name: string }[] {
  const { checker, sourceOf } = compile(files.map((file) => join(root, file)));
  return files.flatMap((file) => {
    const source = sourceOf(join(root, file));
    const booleans: { file: string; line: number; name: string }[] = [];
    const visit = (node: ts6.Node): void => {
      if (declaresValue(node) && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name))) {
        const name = node.name.text;
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        // The name first: to find out a type takes far longer.
        if (!isQuestion(firstWord(name)) && isBoolean(checker.getTypeAtLocation(node)))
          booleans.push({ file, line, name });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return booleans;
  });
}

const found = files.flatMap((file) => namesOf(file, doesSomething).map((name) => ({ file, name })));

test("a function that is async, or returns nothing, begins with a verb", () => {
  expect(found.length).toBeGreaterThan(1000);
  const nameless = found.filter(({ name }) => {
    const word = firstWord(name);
    return !VERBS.has(word) && !isQuestion(word) && !Object.hasOwn(KNOWN, name);
  });
  expect(nameless.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test("a function that returns a boolean asks a question, or does something and says whether it did", () => {
  const answers = files.flatMap((file) => namesOf(file, returnsBoolean).map((name) => ({ file, name })));
  expect(answers.length).toBeGreaterThan(100);
  const nameless = answers.filter(({ name }) => {
    const word = firstWord(name);
    return !isQuestion(word) && !VERBS.has(word) && !Object.hasOwn(KNOWN, name);
  });
  expect(nameless.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

// It compiles all sources, which takes a slow machine a minute.
test("a property, a parameter or a variable that is a boolean says what is true", {
  timeout: 300_000,
}, () => {
  const nameless = listUnasked().filter(({ name }) => name !== "_");
  const known = Object.values(KNOWN_BOOLEANS).flat();
  const wrong = nameless.filter(({ name }) => !known.includes(name));
  expect(wrong.map(({ file, line, name }) => `${file}:${line}: ${name}`)).toEqual([]);
  const used = new Set(nameless.map(({ name }) => name));
  expect(known.filter((name) => !used.has(name))).toEqual([]);
});

test("every exception is needed", () => {
  const names = new Set(found.map(({ name }) => name));
  expect(Object.keys(KNOWN).filter((name) => !names.has(name))).toEqual([]);
  expect(Object.keys(KNOWN).length).toBeLessThanOrEqual(12);
});
