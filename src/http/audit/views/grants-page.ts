import type { GrantBar } from '../../../audit/timeline/timeline.ts';
import { endMarks, patternDefinitions, type BarKind } from '../../admin/views/end-marks.ts';
import { empty, nameOf, shortTime, table } from '../../pages/components.ts';
import { markup, sentenceHtml, trusted, type Html, type Part } from '../../pages/html.ts';
import { english, words } from '../../pages/words.ts';
import { auditHref, historyPage, type QuestionsView } from './history-filters.ts';

/** A grant with its position in the chart, in percent of the chart's width. */
export type DrawnGrant = GrantBar & {
  readonly kind: BarKind;
  /** Null if no read is known. */
  readonly lastReadAt: string | null;
  readonly left: number;
  readonly width: number;
  readonly beganBefore: boolean;
  readonly goesOn: boolean;
};

type Tick = { readonly at: number; readonly label: string };

export type GrantsView = QuestionsView & {
  readonly grants: readonly DrawnGrant[];
  /** Days or months on the axis, and the present where it is within. */
  readonly ticks: readonly Tick[];
  readonly present: number | null;
  readonly earlier: string | null;
};

export const grantsPage = historyPage<GrantsView>({ here: '/audit/grants', heading: 'Grants of' }, (view) => {
  if (view.problems.length > 0) return null;
  return markup`<section class="card" aria-labelledby="picture">
<h2 id="picture">Grants over time</h2>
${view.grants.length === 0 ? empty('No grants match these filters.') : chart(view)}
</section>
${view.grants.length > 0 && markup`<section class="card">${inWords(view)}</section>`}
${view.earlier !== null && markup`<nav class="ways" aria-label="Pages"><a class="button plain" href="${view.base}${view.earlier}">Grants issued earlier</a></nav>`}
<p class="soft small">This search was recorded in the audit log.</p>
`;
});

const fill = (kind: BarKind, place: Html): Html => {
  const { pattern } = endMarks[kind];
  return markup`<rect ${place} class="of-${kind}"/>${pattern !== 'plain' && markup`<rect ${place} fill="url(#pattern-${pattern})"/>`}`;
};

const chart = (view: GrantsView): Html => {
  const kinds = (Object.keys(endMarks) as BarKind[]).filter((kind) =>
    view.grants.some((grant) => grant.kind === kind),
  );
  return markup`<p class="soft small">Each bar is a grant, from its issue to its end, and leads to its events. Its colour, its pattern and the letter at its end say why it ended. The table below says the same in words.</p>
${trusted(patternDefinitions)}
<ul class="legend" aria-label="Why a grant ended">
${kinds.map(
  (
    kind,
  ) => markup`<li><svg class="swatch" width="44" height="18" aria-hidden="true" focusable="false">${fill(kind, markup`x="0" y="3" width="26" height="12"`)}<text x="31" y="14">${endMarks[kind].letter}</text></svg><span class="small">${endMarks[kind].words}</span></li>
`,
)}</ul>
<div class="chart">
<svg class="axis" height="28" aria-hidden="true" focusable="false">${view.ticks.map(({ at, label }) => markup`<text x="${at}%" y="13">${label}</text><line x1="${at}%" x2="${at}%" y1="17" y2="26"/>`)}<line x1="1%" x2="90%" y1="26" y2="26"/></svg>
<ol class="bars">
${view.grants.map((grant, index) => bar(view, grant, index))}</ol>
</div>`;
};

const bar = (view: GrantsView, grant: DrawnGrant, index: number): Html => {
  const { left, width, kind, issuedAt, endedAt } = grant;
  const mark = endMarks[grant.goesOn ? 'open' : kind];
  const end = endedAt === null ? 'now' : words.momentOf(endedAt);
  return markup`<li><a href="${auditHref(view, '/audit', { grant: grant.grantId })}" title="${words.momentOf(issuedAt)} to ${end}: ${endMarks[kind].words}"><span class="small">${index + 1}. <bdi>${grant.addon.name ?? grant.addon.id}</bdi></span>
<svg class="grant-bar" height="18" aria-hidden="true" focusable="false">${view.ticks.map(({ at }) => markup`<line x1="${at}%" x2="${at}%" y1="0" y2="18" class="row-line"/>`)}<line x1="0" x2="100%" y1="17.5" y2="17.5" class="row-line"/>${view.present !== null && markup`<line x1="${view.present}%" x2="${view.present}%" y1="0" y2="18" class="now"/>`}${fill(kind, markup`x="${left}%" y="3" width="${width}%" height="12"`)}${!grant.beganBefore && markup`<line x1="${left}%" x2="${left}%" y1="1" y2="17" class="issue"/>`}<svg x="${left + width}%" width="24" height="18"><text x="4" y="14">${mark.letter}</text></svg></svg></a></li>
`;
};

const inWords = (view: GrantsView): Part => {
  const { now } = view;
  const numbered = view.grants.map((grant, index) => ({ ...grant, number: index + 1 }));
  return table(
    'The same in words',
    [
      {
        label: 'Grant',
        cell: ({ number, addon, grantId }) =>
          markup`${number}. <a href="${auditHref(view, '/audit', { grant: grantId })}">${nameOf(addon.name ?? addon.id)}</a>`,
      },
      { label: 'Approved by', from: 'm', cell: ({ approvedBy: { name, id } }) => nameOf(name ?? id) },
      {
        label: 'Opens',
        from: 'l',
        cell: ({ scopes }) => (scopes.length === 0 ? 'nothing' : words.scopeWords(scopes)),
      },
      {
        label: 'Issued',
        from: 'm',
        cell: ({ issuedAt, redeemedAt }) =>
          markup`${shortTime(english(now), issuedAt)}${redeemedAt === null && ', never exchanged'}`,
      },
      {
        label: 'Last used',
        from: 'm',
        cell: ({ lastReadAt, lastTokenAt }) =>
          markup`${lastReadAt === null ? 'no read' : markup`read ${shortTime(english(now), lastReadAt)}`}${lastTokenAt !== null && markup`; token ${shortTime(english(now), lastTokenAt)}`}`,
      },
      {
        label: 'Ended',
        cell: ({ endedAt, why, kind }) =>
          endedAt === null
            ? 'Not yet'
            : markup`${shortTime(english(now), endedAt)}: ${why ? sentenceHtml(why) : endMarks[kind].words}`,
      },
    ],
    numbered,
  );
};
