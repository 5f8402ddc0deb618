import { createHash } from 'node:crypto';

/** Additional styles of the pages about problems; colours come from the stylesheet of all pages. */
export const docsStylesheet = `
main.reader { max-width: 78rem; }
.text { min-width: 0; max-width: 50rem; }
.text h1 { font-size: 1.9rem; }
.text h2 { font-size: 1.5rem; margin: 3.5rem 0 .75rem; padding-top: 1rem; border-top: 2px solid var(--line); }
.text h2.first { font-size: 1.1rem; margin: 1.25rem 0 .35rem; padding: 0; border: 0; }
.text .card h2.first:first-child, .operation h2.first { margin-top: 0; }
.operation { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem; margin: 1.25rem 0; }
.route { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline; }
.status { display: inline-block; flex: none; min-width: 2.6rem; text-align: center; font-weight: 700; font-size: .85rem; border-radius: .3rem; padding: .05rem .35rem; background: var(--new); color: var(--ink); font-variant-numeric: tabular-nums; }
.status.s4, .status.s5 { background: var(--warn-soft); }
.plainlist { list-style: none; margin: .25rem 0 .5rem; padding: 0; }
.plainlist li { padding: .2rem 0; }
`;

const version = createHash('sha256').update(docsStylesheet).digest('hex').slice(0, 12);

export const docsStylesheetPath = `/assets/reader-${version}.css`;
