/** The style sheet of all pages. Light and dark; works at any width; pages stay readable without it. */
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
@media (min-width: 34rem) {
  main { margin-top: 8vh; padding: 2.25rem; background: var(--sheet); border: 1px solid var(--edge); border-radius: .75rem; }
}
`;
