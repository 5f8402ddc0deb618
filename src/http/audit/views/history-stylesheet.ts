import { createHash } from 'node:crypto';

export const historyStylesheet = `
:root {
  --open: #14595b; --deactivated: #9c2a1f; --withdrawn: #8a4b00; --disabled: #5b2a86; --given: #2a5db0; --misused: #b0165c; --expired: #5a6373;
}
@media (prefers-color-scheme: dark) {
  :root { --open: #6cc5bd; --deactivated: #ff9a8b; --withdrawn: #f0b14a; --disabled: #c9a2ee; --given: #8fb8f6; --misused: #ff8dbd; --expired: #a3adbb; }
}
nav.tabs { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0 0 1rem; }
nav.tabs [aria-current] { font-weight: 700; color: var(--ink); text-decoration: none; }
.filters { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); gap: .75rem 1rem; }
.filters label.field { margin-top: 0; }
.filters p { margin: .25rem 0 0; }
.wrong { color: var(--warn); }
ol.entries { list-style: none; margin: 0; padding: 0; }
ol.entries > li { padding: .8rem 0; border-top: 1px solid var(--line); }
ol.entries > li:first-child { border-top: 0; padding-top: 0; }
ol.entries p { margin: 0; }
.ways { display: flex; flex-wrap: wrap; gap: .75rem; justify-content: space-between; margin-top: 1.25rem; }
svg.lag { display: block; width: 100%; height: auto; }
svg.definitions { position: absolute; }
svg.grant-bar, svg.axis { display: block; width: 100%; }
.axis line { stroke: var(--soft); }
.axis-words { display: flex; justify-content: space-between; gap: .5rem; width: 91%; }
.swatch { flex: none; }
ul.legend { list-style: none; margin: 0 0 1rem; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem 1.25rem; }
ul.legend li { display: flex; gap: .5rem; align-items: center; }
svg.grant-bar text, .swatch text { fill: var(--ink); font: 700 13px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
svg.grant-bar .row-line { stroke: var(--line); }
svg .cut { fill: var(--card); }
svg .cut-line { stroke: var(--card); stroke-width: 1.5; }
svg .issue { stroke: var(--ink); stroke-width: 2; }
svg .of-open { fill: var(--open); }
svg .of-addon-deactivated, svg .of-addon-retired, svg .of-revoked-by-operator, svg .of-scope-removed, svg .of-redirect-uri-removed, svg .of-role-lost { fill: var(--deactivated); }
svg .of-consent-withdrawn { fill: var(--withdrawn); }
svg .of-account-disabled { fill: var(--disabled); }
svg .of-revoked-by-addon { fill: var(--given); }
svg .of-refresh-token-reused, svg .of-code-replayed, svg .of-too-many-failed-proofs { fill: var(--misused); }
svg .of-code-expired, svg .of-tokens-expired { fill: var(--expired); }
table.grants { width: 100%; border-collapse: collapse; }
table.grants caption { text-align: left; font-weight: 600; padding-bottom: .5rem; }
table.grants th, table.grants td { text-align: left; vertical-align: top; padding: .5rem .6rem .5rem 0; border-top: 1px solid var(--line); font-weight: 400; }
table.grants thead th { border-top: 0; color: var(--soft); }
table.grants th, table.grants td { overflow-wrap: break-word; }
table.grants bdi, table.grants code { overflow-wrap: anywhere; }
.whole { white-space: nowrap; }
ol.bars { list-style: none; margin: 0; padding: 0; }
ol.bars > li { padding: .35rem 0; }
@media (max-width: 44rem) {
  table.grants thead { display: none; }
  table.grants, table.grants caption, table.grants tbody, table.grants tr, table.grants td, table.grants tbody th { display: block; }
  table.grants td, table.grants tbody th { padding: .15rem 0; border-top: 0; }
  table.grants tbody tr { padding: .6rem 0; border-top: 1px solid var(--line); }
  table.grants td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
}
`;

const version = createHash('sha256').update(historyStylesheet).digest('hex').slice(0, 12);

/** Changes with the content, so that it may be cached permanently. */
export const historyStylesheetPath = `/assets/history-${version}.css`;
