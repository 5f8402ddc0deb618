import type { UnusedGrant } from '../../../projections/access/unused-grants.ts';
import { empty, head, moment, nameOf, shortTime, table } from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import { page, type PageView } from '../../pages/render.ts';
import { english, words } from '../../pages/words.ts';
import { auditHref, historyPage, type QuestionsView } from './history-filters.ts';

const ask = (view: QuestionsView, path: string, question: string, hint: string): Html =>
  markup`<li><p><a href="${auditHref(view, path)}">${question}</a></p><p class="soft small">${hint}</p></li>
`;

export const questionsPage = historyPage<QuestionsView>(
  { here: '/audit/questions', heading: 'Questions about', isUnfiltered: true },
  (view) => markup`<section class="card" aria-labelledby="questions">
<h2 id="questions">Five questions</h2>
<ol class="entries">
${ask(view, '/audit/exposure', 'What could an add-on read, and what did it read?', 'Choose the add-on and the time.')}
${ask(view, '/audit/grants', 'Who allowed it, and when was it last used?', 'Each grant with who approved it, its last token and its last read.')}
${ask(view, '/audit/log', 'Was anything removed from the log since a day?', 'The signed head of that day, and what was compared with it.')}
${ask(view, '/audit/unused', 'Which add-ons hold access that nobody used for 90 days?', 'Or for another number of days.')}
<li><form method="get" action="${view.base}/audit">
<input type="hidden" name="organization" value="${view.organization.organizationId}">
<label class="field" for="actor">All acts of a user (user id)</label>
<input type="text" id="actor" name="actor" required autocomplete="off" spellcheck="false">
<div class="actions"><button type="submit">Show</button></div>
</form></li>
</ol>
</section>
<p class="soft small">What you search for is recorded in the audit log.</p>
`,
);

type AuditOrganizationsView = PageView & {
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
};

export const auditOrganizationsPage = page<AuditOrganizationsView>(
  'Audit logs',
  ({ base, organizations }) => markup`${head('Audit logs')}
<section class="card">${
    organizations.length === 0
      ? empty(
          markup`No organization is assigned to you yet. The operator assigns one with <code>grantbook organization add-auditor</code>.`,
        )
      : table(
          'Organizations',
          [
            {
              label: 'Organization',
              cell: ({ organizationId, name }) =>
                markup`<a href="${base}/audit?organization=${organizationId}"><span class="hidden">What happened to </span>${nameOf(name)}</a>`,
            },
            {
              label: 'Grants over time',
              from: 'm',
              cell: ({ organizationId, name }) =>
                markup`<a href="${base}/audit/grants?organization=${organizationId}">Grants<span class="hidden"> of <bdi>${name}</bdi> over time</span></a>`,
            },
            {
              label: 'Questions',
              from: 'm',
              cell: ({ organizationId, name }) =>
                markup`<a href="${base}/audit/questions?organization=${organizationId}">Five questions<span class="hidden"> about <bdi>${name}</bdi></span></a>`,
            },
          ],
          organizations,
          true,
        )
  }</section>
<p class="soft small">Your searches are recorded in the audit log.</p>
`,
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

const headWords = ({ size, at, root }: Head): Html =>
  markup`${words.countOf(size, 'event')}, signed ${moment(english(), at)}, root <code class="whole">${root}</code>`;

export const logPage = historyPage<LogView>(
  { here: '/audit/log', heading: 'Was anything removed? Asked for', title: 'Was anything removed?' },
  ({ answer }) =>
    answer &&
    markup`<section class="card" aria-labelledby="log">
<h2 id="log">The log of the whole service</h2>
<p>By ${moment(english(), answer.from)}: ${answer.head === null ? 'no signed head.' : headWords(answer.head)}</p>
<p>Newest signed head: ${answer.newest === null ? 'none.' : headWords(answer.newest)}</p>
${answer.verified === null ? markup`<p>The log has not been compared with its heads yet.</p>` : verifiedWords(answer.verified, answer.head)}
<p class="soft small">You can verify this with a head that you stored outside: <code>grantbook audit check-log --head FILE</code>.</p>
</section>
<p class="soft small">This search was recorded in the audit log.</p>
`,
);

type Verified = NonNullable<NonNullable<LogView['answer']>['verified']>;

const verifiedWords = ({ size, checkedAt, removed }: Verified, then: Head | null): Html => {
  const gone = Object.entries(removed);
  const among = then && (then.size > size ? 'was not among them' : 'was among them');
  return markup`<p>The first ${words.countOf(size, 'event')} matched all signed heads at the last check, ${moment(english(), checkedAt)}.${among && ` The head of that time ${among}.`}</p>
${
  gone.length === 0
    ? markup`<p>No event was missing.</p>`
    : markup`<p>Documented retention had removed:</p>
<ul>${gone.map(([category, count]) => markup`<li><code>${category}</code>: ${words.countOf(count, 'event')}</li>`)}</ul>
<p>No other event was missing.</p>`
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

export const unusedPage = historyPage<UnusedView>(
  { here: '/audit/unused', heading: 'Unused access to' },
  (view) => {
    const { now } = view;
    if (view.problems.length > 0) return null;
    return markup`<section class="card" aria-labelledby="unused">
<h2 id="unused">Access unused for ${words.countOf(view.days, 'day')}</h2>
<p class="soft small">Grants that can still get tokens, but have read no list for this long. Refreshing a token does not count as use.</p>
${
  view.grants.length === 0
    ? empty('None.')
    : table(
        'Grants, in the order of their issue',
        [
          {
            label: 'Add-on',
            cell: ({ addon, grantId }) =>
              markup`<a href="${auditHref(view, '/audit', { grant: grantId })}">${nameOf(addon.name ?? addon.id)}</a>`,
          },
          { label: 'Approved by', from: 'm', cell: ({ user }) => nameOf(user.name ?? user.id) },
          {
            label: 'Opens',
            from: 'l',
            cell: ({ scopes }) => (scopes.length === 0 ? 'nothing' : words.scopeWords(scopes)),
          },
          { label: 'Issued', from: 'l', cell: ({ issuedAt }) => shortTime(english(now), issuedAt) },
          { label: 'Last token', from: 'l', cell: ({ lastTokenAt }) => shortTime(english(now), lastTokenAt) },
          {
            label: 'Last read',
            from: 'm',
            cell: ({ lastReadAt }) =>
              lastReadAt === null ? 'No read known' : shortTime(english(now), lastReadAt),
          },
          { label: 'Unused since', cell: ({ unusedSince }) => shortTime(english(now), unusedSince) },
        ],
        view.grants,
      )
}
${view.next !== null && markup`<nav class="ways" aria-label="Pages"><a class="button plain" href="${view.base}${view.next}">Grants issued later</a></nav>`}
</section>
<p class="soft small">This search was recorded in the audit log.</p>
`;
  },
);
