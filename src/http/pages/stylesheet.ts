import { createHash } from 'node:crypto';

/** One stylesheet for all pages: light or dark by the reader's setting, usable on phones, no images, no scripts. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f2; --card: #ffffff; --ink: #1d2330; --soft: #5a6373; --line: #d9d7d0;
  --accent: #14595b; --on-accent: #ffffff; --warn: #9c2a1f; --on-warn: #ffffff; --warn-soft: #fbecea; --new: #e3f1ec; --focus: #c77d0a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181f; --card: #1c222c; --ink: #e8eaee; --soft: #a3adbb; --line: #343d4a;
    --accent: #6cc5bd; --on-accent: #08211f; --warn: #ff9a8b; --on-warn: #2b0d08; --warn-soft: #3a201d; --new: #1d3a36; --focus: #f0b14a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
header.bar { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; padding: .9rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--card); }
.brand { font-weight: 700; letter-spacing: .01em; color: var(--ink); text-decoration: none; }
header.bar nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.who { color: var(--soft); }
main { margin: 2rem auto; padding: 0 1rem; }
.narrow { max-width: 30rem; }
.wide { max-width: 60rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.5rem; margin: 0 0 1rem; }
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.05rem; margin: 1.25rem 0 .5rem; }
p { margin: 0 0 .75rem; }
.soft { color: var(--soft); }
.small { font-size: .9rem; }
.note { margin-top: 1rem; }
label.field { display: block; font-weight: 600; margin: 1rem 0 .3rem; }
input[type=email], input[type=password], input[type=text], input[type=number], input[type=file], select, textarea { width: 100%; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .5rem; padding: .6rem .75rem; }
button, .button { display: inline-block; font: inherit; font-weight: 600; border-radius: .5rem; border: 1px solid var(--accent); padding: .6rem 1.1rem; cursor: pointer; background: var(--accent); color: var(--on-accent); text-decoration: none; }
button.plain, .button.plain { background: transparent; color: var(--accent); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.25rem; }
.notice { background: var(--new); border-left: 4px solid var(--accent); border-radius: .25rem; padding: .6rem .8rem; margin: 0 0 1rem; }
.whoami { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: baseline; justify-content: space-between; border-top: 1px solid var(--line); margin-top: 1.25rem; padding-top: .9rem; }
.whoami p, .whoami form { margin: 0; }
button.link { background: none; border: 0; padding: .25rem 0; font-weight: 400; font-size: .9rem; color: var(--accent); text-decoration: underline; }
.alert { background: var(--warn-soft); border-left: 4px solid var(--warn); border-radius: .25rem; padding: .6rem .8rem; margin: 0 0 1rem; }
ul.scopes { list-style: none; margin: 0; padding: 0; }
ul.scopes li { display: flex; gap: .6rem; justify-content: space-between; align-items: baseline; padding: .55rem 0; border-top: 1px solid var(--line); }
ul.scopes li:first-child { border-top: 0; }
.tag { flex: none; font-size: .8rem; font-weight: 600; border-radius: 1rem; padding: .1rem .6rem; background: var(--new); color: var(--ink); }
.tag.off { background: transparent; border: 1px solid var(--line); color: var(--soft); }
.tag.stop { background: var(--warn-soft); }
fieldset { border: 0; padding: 0; margin: 0; min-width: 0; }
legend { font-weight: 600; padding: 0; margin: 1.25rem 0 .4rem; }
.choice { display: flex; gap: .7rem; align-items: flex-start; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .5rem; margin-bottom: .5rem; }
.choice input { margin: .3rem 0 0; accent-color: var(--accent); }
.choice span.soft { display: block; }
button.danger, .button.danger { background: transparent; border-color: var(--warn); color: var(--warn); }
ul.rows { list-style: none; margin: 0; padding: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.row { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; justify-content: space-between; align-items: center; padding: 1rem 0; border-top: 1px solid var(--line); }
.row:first-child, h1 + .row, h2 + .row { border-top: 0; padding-top: 0; }
.row > div { flex: 1 1 14rem; min-width: 0; }
.row:last-child { padding-bottom: 0; }
.row form { margin: 0; }
button.sure { background: var(--warn); color: var(--on-warn); }
.row strong { margin-right: .5rem; }
dl.facts { display: grid; grid-template-columns: minmax(8rem, auto) 1fr; gap: .5rem 1.25rem; margin: 0; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; }
.card > dl.facts:last-child { margin-bottom: 0; }
@media (max-width: 30rem) { dl.facts { grid-template-columns: 1fr; gap: 0; } dl.facts dd { margin-bottom: .6rem; } }
@media print { header.bar, .actions, .unprinted { display: none; } body { background: none; } .card { border: 0; padding: 0; } }
label.field + * + p.small { margin-top: .3rem; }
code.whole { display: block; user-select: all; word-break: break-all; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--paper); }
code { font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; font-size: .9em; }
`;

const version = createHash('sha256').update(stylesheet).digest('hex').slice(0, 12);

/** Changes with the content, so that it may be cached permanently. */
export const stylesheetPath = `/assets/grantbook-${version}.css`;
