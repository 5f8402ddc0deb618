import type { UnusedGrant } from '../../../projections/access/unused-grants.ts';
import { time, cell, column, rowHead } from '../../pages/render-table.ts';
import { page } from '../../pages/render.ts';
import { historyPage, type QuestionsView } from './history-filters.ts';

const ask = (path: string, words: string, hint: string): string =>
  `<li><p><a href="<%= it.base %>${path}?organization=<%= it.organization.organizationId %>">${words}</a></p><p class="soft small">${hint}</p></li>`;

export const questionsPage = historyPage<QuestionsView>(
  { here: '/audit/questions', heading: 'Questions about', isUnfiltered: true },
  `<section class="card" aria-labelledby="questions">
<h2 id="questions">Five questions</h2>
<ol class="entries">
${ask('/audit/exposure', 'What could an add-on read, and what did it read?', 'Choose the add-on and the time.')}
${ask('/audit/grants', 'Who allowed it, and when was it last used?', 'Each grant with who approved it, its last token and its last read.')}
${ask('/audit/log', 'Was anything removed from the log since a day?', 'The signed head of that day, and what was compared with it.')}
${ask('/audit/unused', 'Which add-ons hold access that nobody used for 90 days?', 'Or for another number of days.')}
<li><form method="get" action="<%= it.base %>/audit">
<input type="hidden" name="organization" value="<%= it.organization.organizationId %>">
<label class="field" for="actor">All acts of a user (user id)</label>
<input type="text" id="actor" name="actor" required autocomplete="off" spellcheck="false">
<div class="actions"><button type="submit">Show</button></div>
</form></li>
</ol>
</section>
<p class="soft small">What you search for is recorded in the audit log.</p>
`,
);

type AuditOrganizationsView = {
  readonly base: string;
  readonly signedIn: string;
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
};

export const auditOrganizationsPage = page<AuditOrganizationsView>(
  'Audit logs',
  `<div class="card">
<h1>Audit logs</h1>
<% if (it.organizations.length === 0) { %><p class="soft">No organization is assigned to you yet. The operator assigns one with <code>grantbook organization add-auditor</code>.</p><% } %>
<% it.organizations.forEach(({ organizationId, name }) => { %>
<div class="row"><strong><bdi><%= name %></bdi></strong><span><a class="button plain" href="<%= it.base %>/audit?organization=<%= organizationId %>">What happened<span class="hidden"> to <bdi><%= name %></bdi></span></a> <a class="button plain" href="<%= it.base %>/audit/grants?organization=<%= organizationId %>">Grants<span class="hidden"> of <bdi><%= name %></bdi> over time</span></a> <a class="button plain" href="<%= it.base %>/audit/questions?organization=<%= organizationId %>">Five questions<span class="hidden"> about <bdi><%= name %></bdi></span></a></span></div>
<% }) %>
</div>
<p class="soft small">Your searches are recorded in the audit log. Organizations that you administer are under <a href="<%= it.base %>/admin">your organizations</a>.</p>
`,
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

const headWords = (head: string): string =>
  `<%= words.countOf(${head}.size, 'event') %>, signed ${time(`${head}.at`)}, root <code class="whole"><%= ${head}.root %></code>`;

export const logPage = historyPage<LogView>(
  { here: '/audit/log', heading: 'Was anything removed? Asked for', title: 'Was anything removed?' },
  `<% if (it.answer !== null) { const { words } = it; const { from, head, newest, verified } = it.answer; %>
<section class="card" aria-labelledby="log">
<h2 id="log">The log of the whole service</h2>
<p>By ${time('from')}: <% if (head === null) { %>no signed head.<% } else { %>${headWords('head')}<% } %></p>
<p>Newest signed head: <% if (newest === null) { %>none.<% } else { %>${headWords('newest')}<% } %></p>
<% if (verified === null) { %><p>The log has not been compared with its heads yet.</p><% } else { %>
<p>The first <%= words.countOf(verified.size, 'event') %> matched all signed heads at the last check, ${time('verified.checkedAt')}.<% if (head !== null) { %> The head of that time was <% if (head.size > verified.size) { %>not <% } %>among them.<% } %></p>
<% const removed = Object.entries(verified.removed); if (removed.length === 0) { %><p>No event was missing.</p><% } else { %>
<p>Documented retention had removed:</p>
<ul><% removed.forEach(([category, count]) => { %><li><code><%= category %></code>: <%= words.countOf(count, 'event') %></li><% }) %></ul>
<p>No other event was missing.</p><% } %><% } %>
<p class="soft small">You can verify this with a head that you stored outside: <code>grantbook audit check-log --head FILE</code>.</p>
</section>
<p class="soft small">This search was recorded in the audit log.</p>
<% } %>
`,
);

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
  `<% if (it.problems.length === 0) { const { words } = it; %>
<section class="card" aria-labelledby="unused">
<h2 id="unused">Access unused for <%= words.countOf(it.days, 'day') %></h2>
<p class="soft small">Grants that can still get tokens, but have read no list for this long. Refreshing a token does not count as use.</p>
<% if (it.grants.length === 0) { %><p>None.</p><% } else { %>
<table class="grants" role="table">
<caption>Grants, in the order of their issue</caption>
<thead role="rowgroup"><tr role="row">${column('Add-on')}${column('Approved by')}${column('Opens')}${column('Issued')}${column('Last token')}${column('Last read')}${column('Unused since')}</tr></thead>
<tbody role="rowgroup">
<% it.grants.forEach((grant) => { %><tr role="row">${rowHead('<bdi><%= grant.addon.name ?? grant.addon.id %></bdi><br><a class="small" href="<%= it.base %>/audit?organization=<%= it.organization.organizationId %>&amp;grant=<%= grant.grantId %>"><code><%= grant.grantId %></code></a>')}${cell('Approved by', '<bdi><%= grant.user.name ?? grant.user.id %></bdi>')}${cell('Opens', "<%= grant.scopes.length === 0 ? 'nothing' : words.scopeWords(grant.scopes) %>")}${cell('Issued', time('grant.issuedAt'))}${cell('Last token', time('grant.lastTokenAt'))}${cell('Last read', `<% if (grant.lastReadAt === null) { %>No read known<% } else { %>${time('grant.lastReadAt')}<% } %>`)}${cell('Unused since', time('grant.unusedSince'))}</tr>
<% }) %></tbody>
</table><% } %>
<% if (it.next !== null) { %><nav class="ways" aria-label="Pages"><a class="button plain" href="<%= it.base %><%= it.next %>">Grants issued later</a></nav><% } %>
</section>
<p class="soft small">This search was recorded in the audit log.</p>
<% } %>
`,
);
