import { createHash } from 'node:crypto';

/** Additional styles of the documentation pages; colours come from the stylesheet of all pages. */
export const docsStylesheet = `
html { scroll-padding-top: 1rem; }
main.reader { max-width: 78rem; }
.docs { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; }
.text { min-width: 0; max-width: 50rem; }
.text h1 { font-size: 1.9rem; }
.text h2 { font-size: 1.5rem; margin: 3.5rem 0 .75rem; padding-top: 1rem; border-top: 2px solid var(--line); }
.text h2.first { font-size: 1.1rem; margin: 1.25rem 0 .35rem; padding: 0; border: 0; }
.text .card h2.first:first-child, .operation h2.first { margin-top: 0; }
.text h3 { font-size: 1.15rem; margin: 0 0 .35rem; }
.text h4 { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); margin: 1.4rem 0 .4rem; }
.operation { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem; margin: 1.25rem 0; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover, .anchor:focus-visible { text-decoration: underline; }
.operation:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.route { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline; }
.method { flex: none; font-weight: 700; font-size: .8rem; letter-spacing: .04em; color: var(--on-accent); background: var(--accent); border-radius: .3rem; padding: .1rem .45rem; }
.status { display: inline-block; flex: none; min-width: 2.6rem; text-align: center; font-weight: 700; font-size: .85rem; border-radius: .3rem; padding: .05rem .35rem; background: var(--new); color: var(--ink); font-variant-numeric: tabular-nums; }
.status.s4, .status.s5 { background: var(--warn-soft); }
.fields { margin: 0; }
.fields > div { display: grid; grid-template-columns: minmax(0, 1fr); gap: .1rem 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
.fields > div:first-child { border-top: 0; }
.fields dd { margin: 0; }
.type { color: var(--soft); font-size: .9rem; }
.says { display: block; }
.answer { border-top: 1px solid var(--line); padding: .5rem 0; }
.answer summary { cursor: pointer; display: flex; gap: .6rem; align-items: baseline; }
.answer summary::before { content: "+"; flex: none; width: .8rem; color: var(--soft); font-weight: 700; }
.answer[open] summary::before { content: "–"; }
.answer summary::-webkit-details-marker { display: none; }
.answer summary { list-style: none; }
.answer > :not(summary) { margin-left: 1.4rem; }
.caption { font-size: .85rem; font-weight: 600; margin: .75rem 0 .25rem; }
.plainlist { list-style: none; margin: .25rem 0 .5rem; padding: 0; }
.plainlist li { padding: .2rem 0; }
.headers { font-size: .9rem; }
pre { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem .9rem; margin: .25rem 0 .75rem; overflow-x: auto; overflow-wrap: normal; line-height: 1.45; }
.steps pre, .steps { background: none; }
.steps pre { background: var(--card); }
.steps { padding: 0; list-style: none; counter-reset: step; }
.steps > li { counter-increment: step; position: relative; padding: 0 0 1rem 2.6rem; }
.steps > li::before { content: counter(step); position: absolute; left: 0; top: -.1rem; width: 1.75rem; height: 1.75rem; border-radius: 50%; background: var(--accent); color: var(--on-accent); font-weight: 700; text-align: center; line-height: 1.75rem; }
.contents ul { list-style: none; padding-left: 0; margin: 0; }
.contents ul ul { display: none; padding-left: .75rem; border-left: 2px solid var(--line); margin: .1rem 0 .5rem; }
.contents a { display: block; padding: .2rem .4rem; text-decoration: none; border-radius: .3rem; }
.contents a:hover { text-decoration: underline; }
.contents ul ul a { font-size: .9rem; }
.contents .caption { padding: 0 .4rem; margin-top: 0; }
@media (min-width: 44rem) {
  .fields > div { grid-template-columns: 14rem minmax(0, 1fr); }
}
@media (min-width: 64rem) {
  .contents ul ul { display: block; }
  .docs { grid-template-columns: 16rem minmax(0, 1fr); gap: 3rem; }
  .contents { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
}
`;

const version = createHash('sha256').update(docsStylesheet).digest('hex').slice(0, 12);

export const docsStylesheetPath = `/assets/reader-${version}.css`;
