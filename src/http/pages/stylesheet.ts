/**
 * The one stylesheet (docs/design.md, PG-14): scales of type, space and colour, and the components. Light or dark by the
 * reader's setting, usable on phones and on paper; no images, no scripts, nothing moves.
 */
const rules = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f2; --card: #fff; --ink: #1d2330; --soft: #5a6373; --line: #d9d7d0; --edge: #858d9a;
  --accent: #14595b; --on-accent: #fff; --link: #14595b; --focus: #b06a00;
  --warn: #9c2a1f; --on-warn: #fff; --warn-soft: #fbecea; --good-soft: #e3f1ec; --note-soft: #fdf3dc;
  --open: #14595b; --deactivated: #9c2a1f; --withdrawn: #8a4b00; --disabled: #5b2a86; --given: #2a5db0; --misused: #b0165c; --expired: #5a6373;
  --text-s: .8125rem; --text-m: .9375rem; --text-l: 1.125rem; --text-xl: 1.5rem;
  --space-1: .25rem; --space-2: .5rem; --space-3: .75rem; --space-4: 1rem; --space-6: 1.5rem; --space-8: 2rem;
  --round: .5rem; --letters: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14181f; --card: #1c222c; --ink: #e8eaee; --soft: #a3adbb; --line: #343d4a; --edge: #7c8798;
    --accent: #6cc5bd; --on-accent: #08211f; --link: #6cc5bd; --focus: #f0b14a;
    --warn: #ff9a8b; --on-warn: #2b0d08; --warn-soft: #3a201d; --good-soft: #1d3a36; --note-soft: #3a2f16;
    --open: #6cc5bd; --deactivated: #ff9a8b; --withdrawn: #f0b14a; --disabled: #c9a2ee; --given: #8fb8f6; --misused: #ff8dbd; --expired: #a3adbb;
  }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--letters); overflow-wrap: break-word; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
h1 { font-size: var(--text-xl); line-height: 1.25; margin: 0 0 var(--space-3); }
h2 { font-size: var(--text-l); line-height: 1.35; margin: var(--space-6) 0 var(--space-2); }
h3 { font-size: 1rem; margin: var(--space-4) 0 var(--space-1); }
p { margin: 0 0 var(--space-3); }
bdi, code, .choice > span { overflow-wrap: anywhere; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Consolas, monospace; font-size: .9em; }
pre { white-space: pre-wrap; padding: var(--space-3); border: 1px solid var(--line); border-radius: var(--round); background: var(--card); }
.printed pre { background: none; border-style: dashed; }
code.whole { display: block; user-select: all; word-break: break-all; padding: var(--space-2) var(--space-3); border: 1px solid var(--line); border-radius: var(--round); background: var(--paper); }
.once { white-space: nowrap; }
.id { user-select: all; }
.soft { color: var(--soft); }
.small { font-size: var(--text-s); }
.wrong { color: var(--warn); }
.note { margin-top: var(--space-4); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* frame */
.skip { position: absolute; left: var(--space-4); top: -10rem; z-index: 2; background: var(--card); padding: var(--space-2) var(--space-4); border-radius: var(--round); }
.skip:focus { top: var(--space-2); }
.bar { position: relative; display: flex; gap: var(--space-2) var(--space-4); align-items: center; justify-content: space-between; min-height: 3.25rem; padding: var(--space-1) var(--space-4); border-bottom: 1px solid var(--line); background: var(--card); font-size: var(--text-m); }
.brand { display: flex; flex: none; max-width: 60%; gap: var(--space-2); align-items: center; min-height: 1.75rem; font-weight: 700; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.mark { flex: none; }
.mark-back { fill: var(--accent); }
.mark-front { fill: var(--on-accent); }
.bar nav.own { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); justify-content: end; }
@media (max-width: 30rem) { .bar nav.own { flex-wrap: nowrap; gap: var(--space-3); font-size: var(--text-s); } nav.own .who { display: none; } }
.who { color: var(--soft); }
.areas { display: none; flex: 1; gap: var(--space-1); margin-left: var(--space-2); }
.areas a { padding: var(--space-2) var(--space-3); border-radius: var(--round); color: var(--ink); text-decoration: none; white-space: nowrap; }
.areas [aria-current], .menu [aria-current] { font-weight: 700; box-shadow: inset 0 -3px var(--accent); border-radius: 0; }
.account { display: none; gap: var(--space-4); align-items: center; }
.menu summary { cursor: pointer; padding: var(--space-1) var(--space-3); border: 1px solid var(--edge); border-radius: var(--round); list-style: none; font-weight: 600; }
.menu:not([open]) nav { display: none; }
.menu[open] nav { display: grid; }
.menu nav, .ways-menu > div { position: absolute; z-index: 3; right: 0; top: 100%; background: var(--card); border: 1px solid var(--line); box-shadow: 0 8px 16px rgb(0 0 0 / .15); }
.menu nav { left: 0; padding: var(--space-2) var(--space-4); }
.menu nav > * { padding: var(--space-2) var(--space-1); }
@media (min-width: 62rem) { .areas, .account { display: flex; } .menu { display: none; } .account .who { max-width: 14rem; } }
.lists { padding: 0 var(--space-4); background: var(--card); border-bottom: 1px solid var(--line); font-size: var(--text-m); }
.lists .tabs { flex-wrap: nowrap; overflow-x: auto; gap: 0 var(--space-4); max-width: 74rem; margin: 0 auto; padding: 0; border: 0; }
.lists .tabs a { flex: none; }
main { flex: 1; width: 100%; margin: 0 auto; padding: var(--space-6) var(--space-4) var(--space-8); }
.narrow { max-width: 32rem; }
.narrow:has(.facts, .card + .card) { max-width: 44rem; }
.narrow:has(.card .things) { max-width: 60rem; }
@media (min-width: 36rem) and (min-height: 40rem) { .narrow { padding-top: 4rem; } .narrow:has(.card + .card) { padding-top: var(--space-6); } }
.wide { max-width: 76rem; }
.foot { padding: var(--space-3) var(--space-4); font-size: var(--text-s); border-top: 1px solid var(--line); }
.foot nav { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-6); justify-content: center; }
.foot a { color: var(--soft); padding: var(--space-1) 0; }
.crumbs ol { display: flex; flex-wrap: wrap; gap: 0 var(--space-2); list-style: none; margin: 0 0 var(--space-2); padding: 0; font-size: var(--text-s); }
.crumbs li { padding: var(--space-1) 0; }
.crumbs li + li::before { content: "/"; color: var(--soft); margin-right: var(--space-2); }
.head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: baseline; justify-content: space-between; margin-bottom: var(--space-3); }
.head h1 { margin: 0; }
.head .actions { margin: 0; }
.head h2 { margin: 0; }
.card > .head:first-child { margin-bottom: var(--space-2); }
.thing { align-items: center; flex-wrap: nowrap; }
.thing .lead { min-width: 0; }
.thing .initial { width: 3rem; height: 3rem; font-size: 1.25rem; }
.sub { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); margin: var(--space-1) 0 0; font-size: var(--text-s); }
@media (max-width: 36rem) { .thing:has(.actions > .button) { flex-wrap: wrap; } h1 { font-size: 1.25rem; } }

/* card, facts */
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: var(--space-6); margin: 0 0 var(--space-4); }
.card:has(#attention), .waiting { border-left: 4px solid var(--focus); }
.waiting { background: var(--note-soft); }
.card > :first-child { margin-top: 0; }
.card > :last-child, .empty p:last-child { margin-bottom: 0; }
.grid { display: grid; gap: var(--space-3); grid-template-columns: repeat(auto-fit, minmax(min(9rem, 45%), 1fr)); margin: 0 0 var(--space-4); padding: 0; list-style: none; }
.grid > .card { position: relative; margin: 0; padding: var(--space-4); }
.grid a { font-weight: 600; font-size: var(--text-m); text-decoration: none; overflow-wrap: normal; }
.grid a::after { content: ""; position: absolute; inset: 0; }
.number { font-size: var(--text-xl); font-weight: 700; line-height: 1.2; }
.facts { display: grid; grid-template-columns: minmax(0, min(12rem, 35%)) minmax(0, 1fr); gap: 0; margin: 0; }
.facts > * { padding: var(--space-2) 0; border-top: 1px solid var(--line); }
.facts > :nth-child(-n+2) { border-top: 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; padding-left: var(--space-6); }
.value { display: flex; gap: var(--space-1) var(--space-4); justify-content: space-between; }
.value > :first-child { min-width: 0; }
@media (max-width: 36rem) {
  .card { padding: var(--space-4); }
  .facts { grid-template-columns: minmax(0, 1fr); }
  .facts dd { border-top: 0; padding: 0 0 var(--space-2); }
  .facts dt { padding: var(--space-2) 4.5rem 0 0; }
  .facts dd { position: relative; }
  .value > a { position: absolute; right: 0; top: -1.5rem; }
}

/* table */
.list { width: 100%; border-collapse: collapse; font-size: var(--text-m); line-height: 1.35; }
.list caption { text-align: left; font-weight: 600; padding-bottom: var(--space-2); }
.list th, .list td { text-align: left; vertical-align: top; padding: .4rem var(--space-6) .4rem 0; border-top: 1px solid var(--line); font-weight: 400; }
.list tbody th { font-weight: 600; min-width: 6.5rem; }
.list thead th { border-top: 0; color: var(--soft); font-size: var(--text-s); white-space: nowrap; }
.list th:last-child, .list td:last-child { padding-right: 0; }
@media (min-width: 36rem) { .list .name:not(.long) { overflow-wrap: break-word; } }
@media (max-width: 36rem) { .list .tag { white-space: normal; border-radius: .6rem; } .list th, .list td { padding-right: var(--space-3); } .list thead th { white-space: normal; } }
.list .number-cell { text-align: right; font-variant-numeric: tabular-nums; }
.list a { display: inline-block; min-height: 1.5rem; text-decoration: none; }
@media (max-width: 44rem) { .from-m, .from-l { display: none; } }
@media (max-width: 62rem) { .from-l { display: none; } }

/* list of things */
.example { display: block; }
.rows-card { padding-top: var(--space-2); padding-bottom: var(--space-2); }
.things tr { position: relative; }
.things tbody th, .things td { height: 2.5rem; padding-top: .2rem; padding-bottom: .2rem; vertical-align: middle; }
.things tbody th { width: 40%; max-width: 0; }
.things td { max-width: 16rem; }
.things td.ways-cell, .things td.state { overflow: visible; }
.things th.ways-cell { width: 2rem; }
.lead, .parties { display: flex; gap: var(--space-3); align-items: center; }
.lead > div { flex: 1; min-width: 0; }
.lead h1 { margin: 0; }
.line, .second, .things td, .things .line a, .bars a > bdi { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.second { font-weight: 400; font-size: var(--text-s); color: var(--soft); }
.things .line a { display: block; line-height: 1.5rem; color: inherit; }
.things .line a::after { content: ""; position: absolute; inset: 0; }
.line { padding: .3rem; margin: -.3rem; }
.things td a { vertical-align: middle; }
.things td > *, .things .second a { position: relative; z-index: 1; }
.initial { flex: none; display: grid; place-items: center; width: 1.5rem; height: 1.5rem; border-radius: .375rem; border: 1px solid var(--line); background: var(--paper); color: var(--soft); font-size: var(--text-s); font-weight: 600; object-fit: contain; }
.chips { display: inline-flex; gap: var(--space-1); vertical-align: middle; color: var(--soft); }
.chips .icon { display: block; }
.ways-menu { display: inline-block; position: relative; font-weight: 400; }
.ways-menu summary { display: grid; place-items: center; width: 2rem; height: 1.75rem; cursor: pointer; list-style: none; border-radius: var(--round); font-weight: 700; color: var(--soft); }
.menu summary::-webkit-details-marker, .ways-menu summary::-webkit-details-marker { display: none; }
.thing .ways-menu summary { border: 1px solid var(--edge); width: 2.5rem; height: 2.25rem; }
.ways-menu > div { min-width: 13rem; padding: var(--space-1) 0; border-radius: var(--round); text-align: left; white-space: normal; }
.ways-menu a { display: block; padding: var(--space-2) var(--space-4); color: var(--ink); text-decoration: none; }
.ways-menu button { display: block; width: 100%; padding: var(--space-2) var(--space-4); border: 0; border-radius: 0; text-align: left; background: none; color: var(--ink); font-weight: 400; }
.ways-menu .asking { padding: var(--space-2) var(--space-4); }
.ways-menu .asking button { border: 1px solid; color: var(--warn); }
.ways-menu a.wrong { color: var(--warn); }
.filtered { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; font-size: var(--text-s); }
.filtered .tag { text-decoration: none; padding: .15rem .6rem; }
.filters-menu { display: none; margin: 0 0 var(--space-3); }
.filters-menu .filters { margin-top: var(--space-2); }
@media (max-width: 44rem) {
  .things thead, .things td.cell { display: none; }
  .things, .things tbody { display: block; }
  .things tr { display: grid; grid-template-columns: minmax(0, 1fr) fit-content(50%) auto; column-gap: var(--space-3); align-items: center; padding: .3rem 0; border-top: 1px solid var(--line); }
  .things tbody tr:first-child { border-top: 0; }
  .things tbody th, .things td { width: auto; max-width: none; height: auto; padding: 0; border: 0; }
  .things tbody th { grid-area: 1 / 1 / auto / span 2; min-width: 0; }
  .things td.state { grid-area: 2 / 1; padding-left: 2.25rem; }
  .things tr:has(.state:not(:empty)) .second, .things tr:has(.state:not(:empty)) .on-phones-1 { display: none; }
  .things td.ways-cell { grid-area: 1 / 3 / span 2; }
  .things tr:not(:has(.second)) .on-phones-1 { display: block; grid-area: 2 / 1; }
  .things tr:has(.initial) .on-phones-1 { padding-left: 2.25rem; }
  .things tr:not(:has(.second)) .on-phones-2 { display: block; grid-area: 2 / 2; }
  .things td.cell { font-size: var(--text-s); color: var(--soft); }
  [data-label]::before { content: attr(data-label) " "; }
}
@media (max-width: 36rem) {
  .on-desks, .parties, .example { display: none; }
  .approve { font-size: var(--text-m); }
  .approve button { padding: 0; }
  .approve h2 { margin: var(--space-3) 0 0; }
  .filters-menu { display: block; }
  .rows-card { padding: 0 var(--space-3); }
}

/* tabs to pagination */
.tabs { display: flex; flex-wrap: wrap; gap: 0 var(--space-6); margin: 0 0 var(--space-4); border-bottom: 1px solid var(--line); }
.tabs a { padding: var(--space-2) 0; color: var(--soft); text-decoration: none; }
.tabs .work { color: var(--ink); background: var(--note-soft); border-radius: var(--round) var(--round) 0 0; padding-left: var(--space-2); padding-right: var(--space-2); }
.tabs [aria-current] { font-weight: 700; color: var(--ink); box-shadow: inset 0 -3px var(--accent); }
@media (max-width: 36rem) {
  .tabs { gap: var(--space-2); border: 0; margin-bottom: var(--space-3); }
  .tabs a, .tabs .work { flex: none; border-radius: 1rem; }
  .lists .tabs { padding: var(--space-1) 0; }
  main { padding-top: var(--space-3); }
  .tabs a { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 1rem; font-size: var(--text-s); }
  .tabs [aria-current] { border-color: var(--accent); box-shadow: none; background: var(--card); }
}
.tag { display: inline-block; flex: none; font-size: var(--text-s); font-weight: 600; line-height: 1.4; border-radius: 1rem; padding: 0 .6rem; background: var(--good-soft); color: var(--ink); border: 1px solid transparent; white-space: nowrap; }
p .tag { white-space: normal; }
.tag::first-letter, [id$=-hint]::first-letter { text-transform: uppercase; }
.tag.off { background: transparent; border-color: var(--line); color: var(--soft); }
.tag.stop { background: var(--warn-soft); border-color: var(--warn); }
.tag.wait { background: var(--note-soft); }
.notice, .alert { border-left: 4px solid var(--accent); border-radius: var(--space-1); background: var(--good-soft); padding: var(--space-2) var(--space-3); margin: 0 0 var(--space-4); }
.alert { border-color: var(--warn); background: var(--warn-soft); }
.empty { text-align: center; padding: var(--space-6) var(--space-4); }
.empty .actions { justify-content: center; }
.ways { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); align-items: center; justify-content: space-between; margin-top: var(--space-4); }
.ways p { margin: 0; }
.ways span { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); }

/* form */
label.field { display: block; font-weight: 600; margin: var(--space-4) 0 var(--space-1); }
label.field + * + p.small { margin-top: var(--space-1); }
input:not([type=checkbox], [type=radio]), select, textarea { width: 100%; min-height: 2.5rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: var(--round); padding: var(--space-1) var(--space-3); }
[aria-invalid=true] { border-color: var(--warn); border-width: 2px; }
.show { display: flex; gap: var(--space-2); align-items: center; width: fit-content; min-height: 1.5rem; margin-top: var(--space-1); font-size: var(--text-s); }
fieldset { border: 0; padding: 0; margin: 0; min-width: 0; }
legend { font-weight: 600; padding: 0; margin: var(--space-4) 0 var(--space-1); }
.choice { display: flex; gap: var(--space-3); align-items: flex-start; padding: .3rem var(--space-3); border: 1px solid var(--line); border-radius: var(--round); margin-bottom: .3rem; }
.choice input { flex: none; width: 1.1rem; height: 1.1rem; margin: .2rem 0 0; accent-color: var(--accent); }
.choice > span { min-width: 0; }
.choice span.soft { display: block; }
button, .button { display: inline-block; font: inherit; font-weight: 600; border-radius: var(--round); border: 1px solid var(--accent); padding: var(--space-1) var(--space-4); min-height: 2.25rem; cursor: pointer; background: var(--accent); color: var(--on-accent); text-decoration: none; }
.plain { background: transparent; border-color: var(--edge); color: var(--link); }
.danger { background: transparent; border-color: var(--warn); color: var(--warn); }
button.sure { background: var(--warn); color: var(--on-warn); }
.stretch button, .stretch .button { width: 100%; text-align: center; }
button.link { background: none; border: 0; padding: 0; min-height: 1.5rem; font-weight: 400; font-size: var(--text-s); color: var(--link); text-decoration: underline; }
.actions { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: center; margin-top: var(--space-6); }
.filters { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: end; margin: 0 0 var(--space-4); }
.filters > div { flex: 1 1 8rem; max-width: 20rem; min-width: 0; }
.filters button { background: var(--card); border-color: var(--edge); color: var(--link); }
.filters label.field { margin-top: 0; font-size: var(--text-s); }
.filters p { margin: var(--space-1) 0 0; }
.filters > .actions { flex: none; margin: 0; }
.filters > .more { flex-basis: 100%; margin: 0; }
.alone { flex-wrap: nowrap; }
@media (max-width: 36rem) { .grid > .card { padding: var(--space-3) var(--space-2); } }
.actions button[name=decision] { flex: 1; }
.actions + .actions { border-top: 1px solid var(--line); margin-top: var(--space-4); padding-top: var(--space-4); }
.more { margin: 0 0 var(--space-4); }
.more summary { cursor: pointer; color: var(--link); padding: var(--space-1) 0; }
.whoami { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); align-items: baseline; justify-content: space-between; border-top: 1px solid var(--line); margin-top: var(--space-6); padding-top: var(--space-4); }
.whoami p, .whoami form { margin: 0; }

/* rows of several lines */
.scopes, .rows, .bars, .plainlist { list-style: none; margin: 0; padding: 0; }
.scopes li { display: flex; gap: var(--space-3); justify-content: space-between; align-items: baseline; padding: .3rem 0; border-top: 1px solid var(--line); }
.scopes li:first-child { border-top: 0; }
.row { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-6); justify-content: space-between; align-items: center; padding: var(--space-3) 0; border-top: 1px solid var(--line); }
.row:first-child, h1 + .row, h2 + .row { border-top: 0; padding-top: 0; }
.row > div { flex: 1 1 14rem; min-width: 0; }
.row:last-child { padding-bottom: 0; }
.row form { margin: 0; }
.row strong { margin-right: var(--space-2); }
.plainlist li { padding: var(--space-1) 0; }

/* timeline */
.day { margin: var(--space-6) 0 0; padding-bottom: var(--space-1); border-bottom: 1px solid var(--line); font-size: 1rem; }
.events { list-style: none; margin: 0 0 var(--space-4); padding: 0; }
.events > li { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: 0 var(--space-3); padding: var(--space-2) 0; border-top: 1px solid var(--line); }
.events > li:first-child { border-top: 0; }
.events > li > time { color: var(--soft); font-variant-numeric: tabular-nums; }
.events details { font-size: var(--text-s); }
.events summary { display: inline-block; cursor: pointer; min-height: 1.5rem; padding: .15rem 0; color: var(--link); list-style-position: inside; }
@media (max-width: 75rem), print { .events .line { white-space: normal; } }
.events :has(> [open]) > .line { white-space: normal; }
.events .facts > * { border: 0; padding: .1rem 0; }
@media (max-width: 36rem) { .events > li { grid-template-columns: 3rem minmax(0, 1fr); } }
@media screen and (min-width: 44rem) { .events > li > div { position: relative; padding-right: 7rem; } .events summary { position: absolute; right: 0; top: 0; } }


svg.lag { display: block; width: 100%; max-width: 40rem; height: auto; }
svg.definitions { position: absolute; }
:is(.list, .areas, .tabs) a:hover { text-decoration: underline; }
.bars > li { display: grid; grid-template-columns: minmax(0, min(14rem, 35%)) minmax(0, 1fr); gap: var(--space-2); align-items: center; font-size: var(--text-s); }
.bars a > bdi { display: block; }
.bars > li > svg { display: block; width: 100%; }
.bars > .axis { position: sticky; top: 0; background: var(--card); }
.bars > .axis text { fill: var(--soft); font-weight: 400; }
.now { stroke: var(--focus); stroke-dasharray: 3 2; }
.swatch { flex: none; }
.legend { list-style: none; margin: 0 0 var(--space-4); padding: 0; display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-6); }
.legend li { display: flex; gap: var(--space-2); align-items: center; }
.bars text, .swatch text { fill: var(--ink); font: 700 13px var(--letters); }
.tick { stroke: var(--line); }
svg .cut { fill: var(--card); }
svg .cut-line { stroke: var(--card); stroke-width: 1.5; }
svg .issue { stroke: var(--ink); stroke-width: 2; }
.of-open { fill: var(--open); }
.of-addon-deactivated, .of-addon-retired, .of-revoked-by-operator, .of-scope-removed, .of-redirect-uri-removed, .of-role-lost { fill: var(--deactivated); }
.of-consent-withdrawn { fill: var(--withdrawn); }
.of-account-disabled { fill: var(--disabled); }
.of-revoked-by-addon { fill: var(--given); }
.of-refresh-token-reused, .of-code-replayed, .of-too-many-failed-proofs { fill: var(--misused); }
.of-code-expired, .of-tokens-expired { fill: var(--expired); }


.text { max-width: 50rem; }
.route { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-3); align-items: baseline; }
.status { flex: none; min-width: 2.6rem; text-align: center; font-weight: 700; font-size: var(--text-s); border-radius: var(--space-1); padding: 0 var(--space-1); background: var(--warn-soft); font-variant-numeric: tabular-nums; }

@media (forced-colors: active) {
  .tag, .notice, .alert { border: 1px solid; }
  [aria-current] { text-decoration: underline !important; }
  .mark-back { fill: CanvasText; } .mark-front { fill: Canvas; }
}
.actions:has([name=decision]) { position: sticky; bottom: 0; margin: 0; padding: var(--space-3) 0; background: var(--card); }
form:has(.me:checked) .whole, form:not(:has(.me:checked)) .mine { display: none; }
@media (min-width: 62rem) {
  .narrow:has(.approve) { max-width: 62rem; }
  .approve { display: grid; grid-template: auto 1fr / 5fr 6fr; gap: 0 2rem; }
  .approve > form { grid-area: 1 / 2 / span 2; }
  .approve > :last-child { grid-column: 2; }
}
.party { display: grid; place-items: center; min-width: 3.5rem; height: 3.5rem; padding: 0 .5rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); font-size: 1.1rem; font-weight: 700; object-fit: contain; overflow: hidden; }
.party .mark + span { display: none; }
img.party { width: 3.5rem; padding: 0; }
.party .mark { width: 2.25rem; height: 2.25rem; }
.links { display: flex; flex-wrap: wrap; gap: .25rem .5rem; }
.scopes .icon { flex: none; align-self: flex-start; margin-top: .2rem; color: var(--soft); }
.scopes .icon + span { flex: 1; }
button .mark { vertical-align: middle; margin-right: .4rem; }
@media print {
  :root { color-scheme: light; }
  details:not([open]), .bar, .foot, .crumbs, .skip, .actions, .filters, .more, .tabs, .ways, .unprinted, .value > a, [aria-labelledby=actions], button { display: none !important; }
  body { background: none; font-size: 10pt; }
  main { max-width: none !important; padding: 0 !important; }
  .card { border: 0; padding: 0; }
  a { color: inherit; text-decoration: none; }
  .from-m, .from-l { display: revert !important; }
  li, tr { break-inside: avoid; }
}
`;

/** Scales do not depend on the theme, so their values are sent in place of their names. */
const scale = new Map(
  [...rules.matchAll(/(--(?:space|text|round)[\w-]*): ([^;]+);/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

/** As it is sent: without what browsers do not need. */
export const stylesheet = rules
  .replaceAll(/\/\*[^]*?\*\/|--(?:space|text|round)[\w-]*: [^;]+;/g, '')
  .replaceAll(/var\((--(?:space|text|round)[\w-]*)\)/g, (_all, name: string) => scale.get(name) ?? '')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/ ?([{};,>]) ?/g, '$1')
  .replaceAll(': ', ':')
  .replaceAll(';}', '}')
  .trim();
