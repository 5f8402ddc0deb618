import type { UnusedGrant } from '../../../projections/access/unused-grants.ts';
import { filterForm, historyTabs } from './history-filters.ts';
import { historyStylesheetPath } from './history-stylesheet.ts';
import { compilePage } from '../../pages/render.ts';
import { cell, column, rowHead, time } from '../../pages/render-table.ts';
import type { QuestionsView } from './questions-page.ts';
import { words } from '../../pages/words.ts';

type Times = 'issuedAt' | 'lastTokenAt' | 'lastReadAt' | 'unusedSince';

export type UnusedView = QuestionsView & {
  readonly days: number;
  /** Times are RFC 3339. */
  readonly grants: readonly (Omit<UnusedGrant, Times> &
    Readonly<Record<Exclude<Times, 'lastReadAt'>, string>> & { readonly lastReadAt: string | null })[];
  /** An address under `base`; null at the end. */
  readonly next: string | null;
};

type Inside = {
  title: string;
  wide: true;
  stylesheet: string;
  here: '/audit/unused';
  heading: string;
  words: typeof words;
};

const render = compilePage<UnusedView & Inside>(`<% layout('@layout') %>
${historyTabs}
${filterForm}
<% if (it.problems.length === 0) { const { words } = it; %>
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
`);

export const unusedPage = (view: UnusedView): string =>
  render({
    ...view,
    title: `${view.problems.length > 0 ? 'Error: ' : ''}Unused access to ${view.organization.name}`,
    wide: true,
    stylesheet: historyStylesheetPath,
    here: '/audit/unused',
    heading: 'Unused access to',
    words,
  });
