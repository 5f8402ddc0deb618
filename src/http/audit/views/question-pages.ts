import type { UnusedGrant } from '../../../projections/access/unused-grants.ts';
import {
  card,
  empty,
  field,
  head,
  link,
  moment,
  nameOf,
  shortTime,
  table,
  type FormField,
} from '../../pages/components.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { filled, markup, type Html } from '../../pages/html.ts';
import { page, type PageView } from '../../pages/render.ts';
import type { Reader } from '../../words/reader.ts';
import { codeOf } from './entry-sentence.ts';
import { auditHref, historyPage, said, type QuestionsView } from './history-filters.ts';
import { accessInShort } from '../../words/access.ts';

type Organization = QuestionsView['organization'];

type Forms = Pick<QuestionsView, 'addons' | 'base' | 'now' | 'reader'> & {
  /** Those that may be asked about. The add-ons and the examples are of the first. */
  readonly organizations: readonly [Organization, ...Organization[]];
};

type Ask = {
  readonly path: string;
  readonly question: string;
  readonly fields: readonly Pick<
    FormField,
    'kind' | 'label' | 'name' | 'options' | 'value' | 'hint' | 'isRequired'
  >[];
  /** What its link says, and asks; null where there is none yet. */
  readonly example: readonly [string, Readonly<Record<string, string>>] | null;
};

const day = 86_400_000;

/** The five questions, each with its form and an example. */
const questionForms = (view: Forms): Html => {
  const { addons, base, now, organizations, reader } = view;
  const t = reader.words.auditLog;
  const [organization] = organizations;
  const isOne = organizations.length === 1;
  const [addon] = addons;
  const date = (name: 'from' | 'to') =>
    ({ kind: 'date', name, label: t.filters[name].label, value: '' }) as const;
  const since = (days: number) => new Date(now - days * day).toISOString().slice(0, 10);
  const asks: readonly Ask[] = [
    {
      path: '/audit/exposure',
      question: t.exposureQuestion,
      fields: [
        ...(isOne && addon
          ? [
              {
                kind: 'choice' as const,
                name: 'addon',
                label: t.filters.addon.label,
                value: '',
                options: addons.map(({ addonId, name }) => ({ value: addonId, label: name })),
              },
            ]
          : []),
        date('from'),
        date('to'),
      ],
      example: addon ? [t.exposureExample(markName(addon.name)), { addon: addon.addonId }] : null,
    },
    {
      path: '/audit/grants',
      question: t.grantsQuestion,
      fields: [date('from'), date('to')],
      example: [t.lastDays(90), { from: since(90) }],
    },
    {
      path: '/audit/log',
      question: t.logQuestion,
      fields: [date('from')],
      example: [t.since(reader.period(since(30), since(30))), { from: since(30) }],
    },
    {
      path: '/audit/unused',
      question: t.unusedQuestion,
      fields: [{ kind: 'number', name: 'days', label: t.filters.days.label, value: '90' }],
      example: [t.lastDays(30), { days: '30' }],
    },
    {
      path: '/audit',
      question: t.actsQuestion,
      fields: [
        {
          kind: 'text',
          name: 'actor',
          label: t.filters.actor.label,
          value: '',
          hint: t.filters.user.hint,
          isRequired: true,
        },
      ],
      example: [t.actors['break-glass'], { actor: 'break-glass' }],
    },
  ];
  const ofOrganization = {
    kind: 'choice',
    name: 'organization',
    label: t.organization,
    value: '',
    options: organizations.map(({ organizationId, name }) => ({ value: organizationId, label: name })),
  } as const;
  return markup`${asks.map(({ path, question, fields, example }, index) =>
    card(
      question,
      markup`<form method="get" action="${base}${path}" class="filters">${isOne && markup`<input type="hidden" name="organization" value="${organization.organizationId}">`}${[...(isOne ? [] : [ofOrganization]), ...fields].map((one) => markup`<div>${field({ ...one, id: `${one.name}-${index}` })}</div>`)}
<div class="actions"><button type="submit">${t.show}</button></div></form>
${example && markup`<p class="soft small">${filled((slot) => t.example(slot(link(auditHref({ base, organization }, path, example[1]), said(example[0])))))}</p>`}`,
      `question-${index}`,
    ),
  )}<p class="soft small">${t.willBeRecorded}</p>
`;
};

export const questionsPage = historyPage<QuestionsView>({ here: 'questions', isUnfiltered: true }, (view) =>
  questionForms({ ...view, organizations: [view.organization] }),
);

type AuditHomeView = PageView &
  Pick<QuestionsView, 'addons' | 'now'> & { readonly organizations: readonly Organization[] };

/** Where auditors are at home: the questions, and the organizations that they can be asked about. */
export const auditHomePage = page<AuditHomeView>(
  ({ reader }) => reader.words.auditLog.title,
  (view) => {
    const { base, organizations, reader } = view;
    const t = reader.words.auditLog;
    const [first, ...others] = organizations;
    if (!first)
      return markup`${head(t.title)}
<section class="card">${empty(t.noOrganization)}</section>
`;
    return markup`${head(t.title)}
${questionForms({ ...view, organizations: [first, ...others] })}${card(
      t.organizations,
      markup`<ul class="plainlist">${organizations.map(({ organizationId, name }) => markup`<li>${link(`${base}/audit?organization=${organizationId}`, markup`<span class="hidden">${t.whatHappenedTo}</span>${nameOf(name)}`)}</li>`)}</ul>`,
      'organizations',
    )}`;
  },
  () => ({ wide: true }),
);

type Head = { readonly size: number; readonly root: string; readonly at: string };

/** Times are RFC 3339. */
type LogView = QuestionsView & {
  readonly answer: {
    readonly from: string;
    /** The last head that was signed by then; null if there is none. */
    readonly head: Head | null;
    readonly newest: Head | null;
    /** The last successful comparison of the log with its heads, and the position it reached; null if there was none. */
    readonly verified: {
      readonly size: number;
      readonly checkedAt: string;
      readonly removed: Readonly<Record<string, number>>;
    } | null;
  } | null;
};

const headWords = (reader: Reader, { size, at, root }: Head, slot: (part: Html) => string): string =>
  reader.words.auditLog.head(
    size,
    slot(moment(reader, at)),
    slot(markup`<code class="whole">${root}</code>`),
  );

export const logPage = historyPage<LogView>(
  { here: 'log', title: ({ words }) => words.auditLog.logTitle },
  ({ answer, reader }) => {
    const t = reader.words.auditLog;
    return (
      answer &&
      markup`<section class="card" aria-labelledby="log">
<h2 id="log">${t.wholeLog}</h2>
<p>${filled((slot) => t.headBy(slot(moment(reader, answer.from)), answer.head === null ? t.noHead : headWords(reader, answer.head, slot)))}</p>
<p>${filled((slot) => t.newestHead(answer.newest === null ? t.noNewest : headWords(reader, answer.newest, slot)))}</p>
${answer.verified === null ? markup`<p>${t.notCompared}</p>` : verifiedWords(reader, answer.verified, answer.head)}
<p class="soft small">${filled((slot) => t.verifyOutside(slot(codeOf('grantbook audit check-log --head FILE'))))}</p>
</section>
<p class="soft small">${t.recorded}</p>
`
    );
  },
);

type Verified = NonNullable<NonNullable<LogView['answer']>['verified']>;

const verifiedWords = (reader: Reader, { size, checkedAt, removed }: Verified, then: Head | null): Html => {
  const t = reader.words.auditLog;
  const gone = Object.entries(removed);
  const among = then && (then.size > size ? t.headNotAmong : t.headAmong);
  return markup`<p>${filled((slot) => t.matched(size, slot(moment(reader, checkedAt))))}${among && ` ${among}`}</p>
${
  gone.length === 0
    ? markup`<p>${t.noneMissing}</p>`
    : markup`<p>${t.retentionRemoved}</p>
<ul>${gone.map(([category, count]) => markup`<li>${filled((slot) => t.removedOf(slot(codeOf(category)), count))}</li>`)}</ul>
<p>${t.noOtherMissing}</p>`
}`;
};

type Times = 'issuedAt' | 'lastTokenAt' | 'lastReadAt' | 'unusedSince';

type UnusedView = QuestionsView & {
  readonly days: number;
  /** Times are RFC 3339. */
  readonly grants: readonly (Omit<UnusedGrant, Times> &
    Readonly<Record<Exclude<Times, 'lastReadAt'>, string>> & { readonly lastReadAt: string | null })[];
  /** An address under `base`; null at the end. */
  readonly next: string | null;
};

export const unusedPage = historyPage<UnusedView>({ here: 'unused' }, (view) => {
  const { reader } = view;
  const t = reader.words.auditLog;
  if (view.problems.length > 0) return null;
  return markup`<section class="card" aria-labelledby="unused">
<h2 id="unused">${t.unusedFor(view.days)}</h2>
<p class="soft small">${t.unusedWhat}</p>
${
  view.grants.length === 0
    ? empty(t.none)
    : table(
        t.inOrder,
        [
          {
            label: t.facts.addon,
            cell: ({ addon, grantId }) =>
              markup`<a href="${auditHref(view, '/audit', { grant: grantId })}">${nameOf(addon.name ?? addon.id)}</a>`,
          },
          { label: t.approvedBy, from: 'm', cell: ({ user }) => nameOf(user.name ?? user.id) },
          {
            label: t.opens,
            from: 'l',
            cell: ({ scopes }) => (scopes.length === 0 ? t.nothing : accessInShort(reader, scopes)),
          },
          { label: t.issued, from: 'l', cell: ({ issuedAt }) => shortTime(reader, issuedAt) },
          { label: t.lastToken, from: 'l', cell: ({ lastTokenAt }) => shortTime(reader, lastTokenAt) },
          {
            label: t.lastRead,
            from: 'm',
            cell: ({ lastReadAt }) => (lastReadAt === null ? t.noReadKnown : shortTime(reader, lastReadAt)),
          },
          { label: t.unusedSince, cell: ({ unusedSince }) => shortTime(reader, unusedSince) },
        ],
        view.grants,
      )
}
${view.next !== null && markup`<nav class="ways" aria-label="${t.pages}"><a class="button plain" href="${view.base}${view.next}">${t.issuedLater}</a></nav>`}
</section>
<p class="soft small">${t.recorded}</p>
`;
});
