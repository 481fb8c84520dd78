// The stylesheet of every page: light and dark, wide and narrow. It loads nothing.

import { DARK } from "./palette.ts";

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f7f7f5; --card: #ffffff; --ink: #1f2328; --soft: #5b636d; --rule: #d9dce1;
  --accent: #0072b2; --minus: #b54a00; --tint: #eef4f9; --apart: #f6f3ea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1114; --card: ${DARK.ground}; --ink: ${DARK.ink}; --soft: #9aa1ab; --rule: #333a42;
    --accent: #58aee0; --minus: #f0904d; --tint: #1c2833; --apart: #23211a;
  }
  .plot { color: var(--ink); }
  .plot-ground { fill: var(--card); }
  .plot-labels, .plot [aria-label="dot"] { stroke: var(--card); }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: break-word;
}
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
header { margin-bottom: 2rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .75rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2, caption, figcaption { font-size: 1.05rem; font-weight: 600; }
h2 { line-height: 1.35; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; max-width: 44rem; overflow-wrap: anywhere; }
.eyebrow { margin: 0 0 .35rem; color: var(--soft); font-size: .85rem; letter-spacing: .03em; }
.soft { color: var(--soft); }
.after { margin-top: .75rem; }
section, figure {
  margin: 0 0 1.5rem; padding: 1.1rem 1.25rem; background: var(--card);
  border: 1px solid var(--rule); border-radius: .6rem;
}
section > :last-child, figure > :last-child { margin-bottom: 0; }
footer { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
ul { margin: 0; padding-left: 1.2rem; }
li { margin-bottom: .4rem; overflow-wrap: anywhere; }

.scroll { overflow-x: auto; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .6rem; }
caption span { position: sticky; left: 0; display: inline-block; max-width: min(100%, calc(100vw - 5.2rem)); overflow-wrap: anywhere; }
th, td { padding: .4rem .7rem; border-top: 1px solid var(--rule); text-align: right; vertical-align: baseline; max-width: 20rem; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
th[scope="row"] { min-width: 7rem; font-weight: 400; }
thead th, thead td { border-top: 0; color: var(--soft); font-weight: 600; font-size: .85rem; vertical-align: bottom; }
.few { width: auto; min-width: min(100%, 24rem); }
tbody tr:first-child > * { border-top-color: var(--soft); }
.elsewhere > tr > * { background: var(--apart); font-style: italic; }
.elsewhere > tr > :first-child { padding-left: .6rem; }
.elsewhere > tr > :last-child { padding-right: .6rem; }
.elsewhere th[scope="rowgroup"] { text-align: left; font-style: normal; font-size: .8rem; color: var(--soft); }

figcaption { margin-bottom: .6rem; overflow-wrap: anywhere; }
.plot { display: block; width: 100%; height: auto; }
.narrow { display: none; }
details { margin-top: .75rem; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
details > .scroll { margin-top: .75rem; }

.chips { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem; }
.chips li { margin: 0; padding: .2rem .7rem; border: 1px solid var(--rule); border-radius: 1rem; font-size: .92rem; }
.chips small { color: var(--soft); margin-left: .3rem; }
.chips .kept { background: var(--tint); border-color: var(--accent); }
.chips .idle { border-style: dashed; color: var(--soft); }
.bars td:last-child { width: 30%; min-width: 4rem; }
.bar { display: block; height: .7rem; min-width: 1px; border-radius: .15rem; background: var(--accent); }
.bar.minus { background: var(--minus); }
.sum > th[scope], .sum > td { border-top: 2px solid var(--soft); font-weight: 600; }
.words th:last-child, .words td:last-child { text-align: left; width: 60%; }
.score { font-size: 1.05rem; }
.score strong { font-variant-numeric: tabular-nums; }
.text { white-space: pre-wrap; }

@media (max-width: 36rem) {
  main { padding: 1.5rem .75rem 2rem; }
  section, figure { padding: .9rem .9rem; }
  h1 { font-size: 1.4rem; }
  th, td { padding: .4rem .5rem; }
  .bars th, .bars td { padding: .4rem .3rem; }
  .bars td:last-child { min-width: 2.5rem; }
  .bars th[scope="row"], .words th[scope="row"] { min-width: 4rem; }
  .wide { display: none; }
  .narrow { display: block; }
}
@media print {
  body { background: none; }
  section, figure { break-inside: avoid; border: 0; padding: 0; }
}
`;
