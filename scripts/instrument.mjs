// JavaScript → the same JavaScript that counts which branches run, for the fuzzer. A counter stands at the beginning of every
// function, branch, loop, case and operand that may be skipped. The texts in the source are collected, too: they are what
// readers compare their input with.
import { parseAst } from "vite";

/** Where the counters of a program are. The size is fixed, so modules can be instrumented in any order. */
export const MOST_COUNTERS = 1 << 16;
const STATE = `(globalThis.$fuzz ??= { hits: new Uint8Array(${MOST_COUNTERS}), modules: [] })`;
const LONGEST_WORD = 40;

/** The code with counters from `first` on, and how many there are. `name` tells the module apart. */
export function instrument(code, name, first) {
  /** Each is [position, text]. Of those at one position, the ends come first. */
  const [opens, ends] = [[], []];
  const words = new Set();
  let next = first;
  const count = () => `$hits[${next++}]++`;
  const inExpression = ({ start, end }, visitInside) => {
    opens.push([start, `(${count()},`]);
    visitInside();
    ends.push([end, ")"]);
  };
  const inStatement = (node, visitInside) => {
    if (node.type === "BlockStatement") opens.push([node.start + 1, `${count()};`]);
    else opens.push([node.start, `{${count()};`]);
    visitInside();
    if (node.type !== "BlockStatement") ends.push([node.end, "}"]);
  };

  const visit = (node, parent, key) => {
    if (!node || typeof node !== "object") return;
    if (Array.isArray(node)) {
      for (const each of node) visit(each, parent, key);
      return;
    }
    if (typeof node.type !== "string") return;
    const inside = () => {
      for (const [name, child] of Object.entries(node)) visit(child, node, name);
      if (node.type === "IfStatement" && !node.alternate) ends.push([node.end, ` else {${count()}}`]);
    };
    collectWords(node, words);
    if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return;
    if (isSkippable(parent, key)) inExpression(node, inside);
    else if (isBody(parent, key)) inStatement(node, inside);
    else if (node.type === "SwitchCase" && node.consequent.length > 0) {
      visit(node.test, node, "test");
      opens.push([node.consequent[0].start, `${count()};`]);
      visit(node.consequent, node, "consequent");
    } else inside();
  };
  visit(parseAst(code), undefined, undefined);
  const list = JSON.stringify([...words]);
  const about = `{ name: ${JSON.stringify(name)}, first: ${first}, end: ${next}, words: ${list} }`;
  return {
    code: `const $hits = ${STATE}.hits; $fuzz.modules.push(${about});${inserted(code, opens, ends)}`,
    counters: next - first,
  };
}

/** Whether an expression may be skipped. */
function isSkippable(parent, key) {
  if (parent?.type === "ConditionalExpression") return key !== "test";
  if (parent?.type === "LogicalExpression") return key === "right";
  return parent?.type === "ArrowFunctionExpression" && key === "body" && parent.expression;
}

/** Whether a statement is run if something else says so. */
function isBody(parent, key) {
  if (parent?.type === "IfStatement") return key === "consequent" || key === "alternate";
  return key === "body" && /Function|^(For|While|DoWhile|CatchClause)/.test(parent?.type ?? "");
}

function collectWords(node, words) {
  const text = node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
  const name = node.type === "Property" && !node.computed ? node.key.name : undefined;
  const field = node.type === "MemberExpression" && !node.computed ? node.property.name : undefined;
  for (const word of [text, name, field])
    if (word !== undefined && word.length > 0 && word.length <= LONGEST_WORD) words.add(word);
}

function inserted(code, opens, ends) {
  const all = [
    ...ends.map(([at, text], i) => ({ at, text, order: i - ends.length })),
    ...opens.map(([at, text], i) => ({ at, text, order: i })),
  ].sort((a, b) => a.at - b.at || a.order - b.order);
  let [out, done] = ["", 0];
  for (const { at, text } of all) {
    out += code.slice(done, at) + text;
    done = at;
  }
  return out + code.slice(done);
}

/** A plugin of Vite that instruments the modules that `isWanted` accepts. */
export function instrumentation(isWanted) {
  let next = 0;
  return {
    name: "fuzz-instrumentation",
    enforce: "post",
    transform(code, id) {
      if (!isWanted(id)) return null;
      const done = instrument(code, id, next);
      next += done.counters;
      if (next > MOST_COUNTERS) throw new Error(`more than ${MOST_COUNTERS} branches`);
      return { code: done.code, map: null };
    },
  };
}
