import type { Scope } from '../../../domain/access/scope.ts';
import { historyPage, type QuestionsView } from './history-filters.ts';
import { cell, column, rowHead, time } from '../../pages/render-table.ts';

/** Times are RFC 3339. */
export type ExposureView = QuestionsView & {
  readonly answer: {
    readonly addon: string;
    readonly from: string;
    readonly to: string;
    readonly intervals: readonly {
      readonly subject: string;
      readonly scope: Scope;
      readonly opened: string;
      readonly closed: string | null;
      readonly records: number | null;
    }[];
    readonly reads: readonly {
      readonly grantId: string;
      readonly list: string;
      readonly pages: number;
      readonly records: number;
      readonly networks: readonly string[];
      readonly from: string;
      readonly until: string;
    }[];
    readonly more: boolean;
    readonly countedSince: string;
    readonly unattributed: number;
  } | null;
  readonly waiting?: {
    /** The address that has the answer, or how far it is. */
    readonly again: string;
    readonly events: number;
    /** The time up to which the log was read; null before the first event. */
    readonly upTo: string | null;
    readonly isBusy: boolean;
  };
};

export const exposurePage = historyPage<ExposureView>(
  { here: '/audit/exposure', heading: 'Reads of' },
  `<% const { words, answer, waiting } = it; if (it.problems.length === 0 && answer === null && !waiting) { %><p class="soft">Choose an add-on.</p><% } %>
<% if (waiting) { %><section class="card" aria-labelledby="waits">
<h2 id="waits">The answer is being prepared</h2>
<p role="status"><% if (waiting.isBusy) { %>Other answers are being prepared; this one is next.<% } else { %><%= waiting.events.toLocaleString('en') %> events read<% if (waiting.upTo !== null) { %>, up to ${time('waiting.upTo')}<% } %>.<% } %></p>
<p class="soft">This page shows the answer as soon as it is ready. <a href="<%= waiting.again %>">Reload</a></p>
</section><% } %>
<% if (answer !== null) { %>
<section class="card" aria-labelledby="could">
<h2 id="could">What <bdi><%= answer.addon %></bdi> could read</h2>
<p class="soft small">From ${time('answer.from')} to ${time('answer.to')}.</p>
<% if (answer.intervals.length === 0) { %><p>Nothing.</p><% } else { %>
<table class="grants" role="table">
<caption>Access that was open, and how many records the lists held</caption>
<thead role="rowgroup"><tr role="row">${column('Records of')}${column('Opened')}${column('From')}${column('To')}${column('Records')}</tr></thead>
<tbody role="rowgroup">
<% answer.intervals.forEach((interval) => { %><tr role="row">${rowHead('<bdi><%= interval.subject %></bdi>')}${cell('Opened', '<%= words.scopeWords([interval.scope]) %>')}${cell('From', time('interval.opened'))}${cell('To', `<% if (interval.closed === null) { %>still open at the end<% } else { %>${time('interval.closed')}<% } %>`)}${cell('Records', "<%= interval.records === null ? 'no list' : interval.records %>")}</tr>
<% }) %></tbody>
</table><% } %>
</section>
<section class="card" aria-labelledby="did">
<h2 id="did">What it read</h2>
<p class="soft small">Counted since ${time('answer.countedSince')}, hour by hour; reads of the last 30 seconds may be missing.</p>
<% if (answer.reads.length === 0) { %><p>Nothing.</p><% } else { %>
<table class="grants" role="table">
<caption>Returned pages, and their number of records</caption>
<thead role="rowgroup"><tr role="row">${column('Grant')}${column('List')}${column('Pages')}${column('Records')}${column('From where')}${column('When')}</tr></thead>
<tbody role="rowgroup">
<% answer.reads.forEach((hour) => { %><tr role="row">${rowHead('<a href="<%= it.base %>/audit?organization=<%= it.organization.organizationId %>&amp;grant=<%= hour.grantId %>"><code><%= hour.grantId %></code></a>')}${cell('List', '<%= hour.list %>')}${cell('Pages', '<%= hour.pages %>')}${cell('Records', '<%= hour.records %>')}${cell('From where', "<%= hour.networks.length === 0 ? 'not known' : hour.networks.join(', ') %>")}${cell('When', `${time('hour.from')} to ${time('hour.until')}`)}</tr>
<% }) %></tbody>
</table><% } %>
<% if (answer.unattributed > 0) { %><p class="small">In addition, <%= answer.unattributed %> pages were read whose add-on is unknown, because there were too many at once to count separately.</p><% } %>
<% if (answer.more) { %><p class="small">Not all rows are shown: narrow the period, or ask the operator for <code>grantbook audit exposure</code>.</p><% } %>
</section>
<p class="soft small">This search was recorded in the audit log.</p>
<% } %>
`,
  (view) => ({
    again: view.waiting?.again ?? null,
  }),
);
