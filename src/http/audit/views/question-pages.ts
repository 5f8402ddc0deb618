import type { UnusedGrant } from '../../../projections/access/unused-grants.ts';
import { empty, head, moment, nameOf, shortTime, table } from '../../pages/components.ts';
import { filled, markup, type Html } from '../../pages/html.ts';
import { page, type PageView } from '../../pages/render.ts';
import type { Reader } from '../../words/reader.ts';
import { codeOf } from './entry-sentence.ts';
import { auditHref, historyPage, type QuestionsView } from './history-filters.ts';
import { accessInShort } from '../../words/access.ts';

const ask = (view: QuestionsView, path: string, question: string, hint: string): Html =>
  markup`<li><p><a href="${auditHref(view, path)}">${question}</a></p><p class="soft small">${hint}</p></li>
`;

export const questionsPage = historyPage<QuestionsView>({ here: 'questions', isUnfiltered: true }, (view) => {
  const t = view.reader.words.auditLog;
  return markup`<section class="card" aria-labelledby="questions">
<h2 id="questions">${t.fiveQuestions}</h2>
<ol class="plainlist">
${ask(view, '/audit/exposure', t.exposureQuestion, t.exposureHint)}
${ask(view, '/audit/grants', t.grantsQuestion, t.grantsHint)}
${ask(view, '/audit/log', t.logQuestion, t.logHint)}
${ask(view, '/audit/unused', t.unusedQuestion, t.unusedHint)}
<li><form method="get" action="${view.base}/audit">
<input type="hidden" name="organization" value="${view.organization.organizationId}">
<label class="field" for="actor">${t.actsQuestion}</label>
<input type="text" id="actor" name="actor" required autocomplete="off" spellcheck="false">
<div class="actions"><button type="submit">${t.show}</button></div>
</form></li>
</ol>
</section>
<p class="soft small">${t.willBeRecorded}</p>
`;
});

type AuditOrganizationsView = PageView & {
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
};

export const auditOrganizationsPage = page<AuditOrganizationsView>(
  ({ reader }) => reader.words.auditLog.title,
  ({ base, organizations, reader }) => {
    const t = reader.words.auditLog;
    const command = codeOf('grantbook organization add-auditor');
    return markup`${head(t.title)}
<section class="card">${
      organizations.length === 0
        ? empty(filled((slot) => t.noOrganization(slot(command))))
        : table(
            t.organizations,
            [
              {
                label: t.organization,
                cell: ({ organizationId, name }) =>
                  markup`<a href="${base}/audit?organization=${organizationId}"><span class="hidden">${t.whatHappenedTo}</span>${nameOf(name)}</a>`,
              },
              {
                label: t.tabs.grants,
                from: 'm',
                cell: ({ organizationId, name }) =>
                  markup`<a href="${base}/audit/grants?organization=${organizationId}" aria-label="${t.grantsOf(name)}">${t.grants}</a>`,
              },
              {
                label: t.questions,
                from: 'm',
                cell: ({ organizationId, name }) =>
                  markup`<a href="${base}/audit/questions?organization=${organizationId}" aria-label="${t.questionsAbout(name)}">${t.fiveQuestions}</a>`,
              },
            ],
            organizations,
            true,
          )
    }</section>
<p class="soft small">${t.searchesRecorded}</p>
`;
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
