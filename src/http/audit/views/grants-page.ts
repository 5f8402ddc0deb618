import type { GrantBar, EndReason } from '../../../audit/timeline/timeline.ts';
import { empty, link, nameOf, shortTime, table } from '../../pages/components.ts';
import { filled, markup, trusted, type Html, type Part } from '../../pages/html.ts';
import { lanesOf, type Tick } from '../bar-geometry.ts';
import { reasonOf } from './entry-sentence.ts';
import { auditHref, historyPage, type QuestionsView } from './history-filters.ts';
import { accessInShort } from '../../words/access.ts';

export type DrawnGrant = GrantBar & {
  readonly kind: BarKind;
  /** Null if no read is known. */
  readonly lastReadAt: string | null;
  readonly left: number;
  readonly width: number;
  readonly beganBefore: boolean;
  readonly goesOn: boolean;
};

export type GrantsView = QuestionsView & {
  readonly grants: readonly DrawnGrant[];
  /** On the axis, and the present where it is within. */
  readonly ticks: readonly Tick[];
  readonly present: number | null;
  readonly earlier: string | null;
};

export const grantsPage = historyPage<GrantsView>({ here: 'grants' }, (view) => {
  const t = view.reader.words.auditLog;
  if (view.problems.length > 0) return null;
  return markup`<section class="card" aria-labelledby="picture">
<h2 id="picture">${t.bars}</h2>
${view.grants.length === 0 ? empty(t.noGrants) : chart(view)}
</section>
${view.grants.length > 0 && markup`<section class="card">${inWords(view)}</section>`}
${view.earlier !== null && markup`<nav class="ways" aria-label="${t.pages}"><a class="button plain" href="${view.base}${view.earlier}">${t.issuedEarlier}</a></nav>`}
<p class="soft small">${t.recorded}</p>
`;
});

/** The height of a row of bars. */
const rowHeight = 24;

const fill = (kind: BarKind, place: Html): Html => {
  const { pattern } = endMarks[kind];
  return markup`<rect ${place} class="of-${kind}"/>${pattern !== 'plain' && markup`<rect ${place} fill="url(#pattern-${pattern})"/>`}`;
};

const chart = (view: GrantsView): Html => {
  const { grants, present, reader, ticks } = view;
  const t = reader.words.auditLog;
  const kinds = (Object.keys(endMarks) as BarKind[]).filter((kind) =>
    grants.some((one) => one.kind === kind),
  );
  const addons = new Map<string, DrawnGrant[]>();
  for (const grant of grants) addons.set(grant.addon.id, [...(addons.get(grant.addon.id) ?? []), grant]);
  return markup`<p class="soft small">${t.chart}</p>
${trusted(patternDefinitions)}
<svg class="definitions" width="0" height="0" aria-hidden="true" focusable="false"><symbol id="ticks">${ticks.map(({ at }) => markup`<line x1="${at}%" x2="${at}%" y2="100%" class="tick"/>`)}${present !== null && markup`<line x1="${present}%" x2="${present}%" y2="100%" class="now"/>`}</symbol></svg>
<ul class="legend" aria-label="${t.legend}">
${kinds.map(
  (
    kind,
  ) => markup`<li><svg class="swatch" width="44" height="18" aria-hidden="true" focusable="false">${fill(kind, markup`x="0" y="3" width="26" height="12"`)}<text x="31" y="14">${endMarks[kind].letter}</text></svg><span class="small">${t.marks[kind]}</span></li>
`,
)}</ul>
<ol class="bars">
<li class="axis" aria-hidden="true"><span></span><svg height="${rowHeight}" focusable="false">${[
    ...ticks.map(({ at, label, isMain }) => label !== null && labelAt(at, label, isMain)),
    present !== null && labelAt(present, t.today, true),
  ]}</svg></li>
${[...addons.values()].map((some) => addonRow(view, some))}</ol>`;
};

/** Left of its tick where there is no room on the right. */
const labelAt = (at: number, label: string, isMain: boolean): Html =>
  markup`<text x="${at}%" y="16"${at > 80 && trusted(' text-anchor="end"')}${!isMain && trusted(' class="from-m"')}>${label}</text>`;

/** The add-on, and its grants: in one row, as far as they do not overlap. */
const addonRow = (view: GrantsView, grants: readonly DrawnGrant[]): Part => {
  const [first] = grants;
  const lanes = lanesOf(grants);
  return (
    first &&
    markup`<li>${link(auditHref(view, '/audit/grants', { addon: first.addon.id }), nameOf(first.addon.name ?? first.addon.id))}<svg height="${lanes.length * rowHeight}"><use href="#ticks" width="100%" height="100%"/>${lanes.map((lane, index) => lane.map((grant) => bar(view, grant, index * rowHeight)))}</svg></li>
`
  );
};

const bar = (view: GrantsView, grant: DrawnGrant, top: number): Html => {
  const { left, width, kind, issuedAt, endedAt } = grant;
  const mark = endMarks[grant.goesOn ? 'open' : kind];
  const { momentOf, words } = view.reader;
  const t = words.auditLog;
  const end = endedAt === null ? t.now : momentOf(endedAt);
  return markup`<a href="${auditHref(view, '/audit', { grant: grant.grantId })}"><title>${t.barFrom(momentOf(issuedAt), end, t.marks[kind])}</title>${fill(kind, markup`x="${left}%" y="${top + 6}" width="${width}%" height="12"`)}${!grant.beganBefore && markup`<line x1="${left}%" x2="${left}%" y1="${top + 3}" y2="${top + 21}" class="issue"/>`}<svg x="${left + width}%" y="${top}" width="24" height="24"><rect width="24" height="24" fill="none" pointer-events="all"/><text x="4" y="17">${mark.letter}</text></svg></a>`;
};

const inWords = (view: GrantsView): Part => {
  const { reader } = view;
  const t = reader.words.auditLog;
  return table(
    t.inWords,
    [
      {
        label: t.facts.grant,
        cell: ({ addon, grantId }) =>
          markup`<a href="${auditHref(view, '/audit', { grant: grantId })}">${nameOf(addon.name ?? addon.id)}</a>`,
      },
      { label: t.approvedBy, from: 'm', cell: ({ approvedBy: { name, id } }) => nameOf(name ?? id) },
      {
        label: t.opens,
        from: 'l',
        cell: ({ scopes }) => (scopes.length === 0 ? t.nothing : accessInShort(reader, scopes)),
      },
      {
        label: t.issued,
        from: 'm',
        cell: ({ issuedAt, redeemedAt }) =>
          filled((slot) => {
            const issued = slot(shortTime(reader, issuedAt));
            return redeemedAt === null ? t.neverExchanged(issued) : issued;
          }),
      },
      {
        label: t.lastUsed,
        from: 'm',
        cell: ({ lastReadAt, lastTokenAt }) =>
          filled((slot) => {
            const read = lastReadAt === null ? t.noRead : t.read(slot(shortTime(reader, lastReadAt)));
            return lastTokenAt === null ? read : t.token(read, slot(shortTime(reader, lastTokenAt)));
          }),
      },
      {
        label: t.ended,
        cell: ({ endedAt, because, kind }) =>
          endedAt === null
            ? t.notYet
            : filled((slot) =>
                t.endedFor(
                  slot(shortTime(reader, endedAt)),
                  because ? reasonOf(view, because, slot) : t.marks[kind],
                ),
              ),
      },
    ],
    view.grants,
  );
};

type EndMark = {
  /** One letter at the end of the bar. */
  readonly letter: string;
  /** A pattern from the page's definitions, so that nobody has to distinguish colours. */
  readonly pattern: 'plain' | 'rising' | 'falling' | 'upright' | 'level' | 'dots' | 'cross';
};

type BarKind = EndReason | 'open';

/** How a bar shows why its grant ended: a colour (by its class), a pattern, a letter, and words in the legend. */
const endMarks: Readonly<Record<BarKind, EndMark>> = {
  open: { letter: '→', pattern: 'plain' },
  'addon-deactivated': { letter: 'D', pattern: 'rising' },
  'consent-withdrawn': { letter: 'W', pattern: 'falling' },
  'account-disabled': { letter: 'A', pattern: 'level' },
  'revoked-by-addon': { letter: 'G', pattern: 'upright' },
  'revoked-by-operator': { letter: 'O', pattern: 'upright' },
  'scope-removed': { letter: 'S', pattern: 'upright' },
  'redirect-uri-removed': { letter: 'U', pattern: 'upright' },
  'role-lost': { letter: 'L', pattern: 'level' },
  'addon-retired': { letter: 'T', pattern: 'rising' },
  'refresh-token-reused': { letter: 'R', pattern: 'cross' },
  'code-replayed': { letter: 'C', pattern: 'cross' },
  'too-many-failed-proofs': { letter: 'P', pattern: 'cross' },
  'code-expired': { letter: 'N', pattern: 'dots' },
  'tokens-expired': { letter: 'E', pattern: 'dots' },
};

/** Patterns that the bars of a page refer to: lines in the colour of the card. */
const patternDefinitions = `<svg class="definitions" width="0" height="0" aria-hidden="true" focusable="false"><defs>
<pattern id="pattern-rising" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2.5" height="6" class="cut"/></pattern>
<pattern id="pattern-falling" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="2.5" height="6" class="cut"/></pattern>
<pattern id="pattern-upright" width="5" height="6" patternUnits="userSpaceOnUse"><rect width="2" height="6" class="cut"/></pattern>
<pattern id="pattern-level" width="6" height="5" patternUnits="userSpaceOnUse"><rect width="6" height="2" class="cut"/></pattern>
<pattern id="pattern-dots" width="6" height="6" patternUnits="userSpaceOnUse"><circle cx="3" cy="3" r="1.5" class="cut"/></pattern>
<pattern id="pattern-cross" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 0L6 6M6 0L0 6" class="cut-line"/></pattern>
</defs></svg>`;
