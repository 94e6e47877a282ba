/** The style sheet of all pages. Light and dark; works at any width, and on paper of 80 mm; pages stay readable without it. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f4f3ef; --sheet: #fff; --ink: #1e1e1c; --soft: #5d5c57; --line: #8d8b84; --edge: #e2e0d9;
  --deed: #17594a; --deed-ink: #fff; --alarm: #a02415;
  font: 1.0625rem/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #151514; --sheet: #1f1f1d; --ink: #ecebe6; --soft: #a9a7a0; --line: #7b7972; --edge: #33322f;
    --deed: #6fc4ac; --deed-ink: #0d241d; --alarm: #ff9c8c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 0 auto 2rem; padding: 2rem 1.25rem; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.0625rem; }
p { margin: .75rem 0; color: var(--soft); }
a { display: inline-block; color: var(--deed); text-underline-offset: .15em; }
ul { margin: 0; padding: 0; list-style: none; border-top: 1px solid var(--edge); }
li { padding: .5rem 0; border-bottom: 1px solid var(--edge); }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, button { min-height: 2.75rem; border: 1px solid var(--line); border-radius: .375rem; font: inherit; color: inherit; }
input { width: 100%; padding: .5rem .75rem; background: var(--sheet); }
button { flex: 1 1 8rem; padding: .5rem 1rem; background: none; font-weight: 600; cursor: pointer; }
.main { border-color: var(--deed); background: var(--deed); color: var(--deed-ink); }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.problem { border-left: .25rem solid; padding-left: .75rem; color: var(--alarm); }
:focus-visible { outline: 3px solid var(--deed); outline-offset: 2px; }
.receipt h1 { margin: 0; text-align: center; }
.receipt p { margin: .25rem 0; }
.receipt header, .receipt footer { text-align: center; }
.receipt footer { margin-top: 1.5rem; }
.receipt .logo { display: block; max-width: 10rem; max-height: 6rem; margin: 0 auto .75rem; }
.receipt .sum { margin: 1rem 0 0; font-size: 2.25rem; font-weight: 700; line-height: 1.2; text-align: center; color: inherit; font-variant-numeric: tabular-nums; }
.receipt table { width: 100%; margin-top: 1.25rem; border-collapse: collapse; border-top: 1px solid var(--edge); }
.receipt caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.receipt th { padding: .375rem .75rem .375rem 0; font-weight: 400; text-align: left; vertical-align: top; }
.receipt td { padding: .375rem 0; text-align: right; vertical-align: top; white-space: nowrap; font-variant-numeric: tabular-nums; }
.receipt small { display: block; font-size: .875rem; color: var(--soft); }
.receipt .strong > * { font-weight: 700; }
.receipt .note { margin: 1rem 0; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .375rem; text-align: center; color: inherit; }
.receipt .qr { display: block; width: 9rem; height: 9rem; margin: 1rem auto .5rem; border-radius: .375rem; background: #fff; color: #000; }
.receipt .text { white-space: pre-line; }
@media (min-width: 34rem) {
  main { margin-top: 8vh; padding: 2.25rem; background: var(--sheet); border: 1px solid var(--edge); border-radius: .75rem; }
}
@media print {
  :root { color-scheme: light; --ground: #fff; --sheet: #fff; --ink: #000; --soft: #000; --line: #000; --edge: #000; font-size: 9pt; }
  main { max-width: 72mm; margin: 0 auto; padding: 0; border: 0; background: none; }
  .receipt .qr { width: 30mm; height: 30mm; }
  .receipt tr, .receipt footer { break-inside: avoid; }
}
@page { margin: 4mm; }
`;
