import { filterForm, historyTabs } from './history-filters.ts';
import { historyStylesheetPath } from './history-stylesheet.ts';
import { compilePage } from '../../pages/render.ts';
import { time } from '../../pages/render-table.ts';
import type { QuestionsView } from './questions-page.ts';
import { words } from '../../pages/words.ts';

type Head = { readonly size: number; readonly root: string; readonly at: string };

/** Times are RFC 3339. */
export type LogView = QuestionsView & {
  readonly answer: {
    readonly from: string;
    /** The last head that was signed by then; null if there is none. */
    readonly head: Head | null;
    readonly newest: Head | null;
    /**
     * The last successful comparison of the log with its heads, and the position it reached; null if there was none.
     */
    readonly verified: {
      readonly size: number;
      readonly checkedAt: string;
      readonly removed: Readonly<Record<string, number>>;
    } | null;
  } | null;
};

type Inside = {
  title: string;
  wide: true;
  stylesheet: string;
  here: '/audit/log';
  heading: string;
  words: typeof words;
};

const headWords = (head: string): string =>
  `<%= words.countOf(${head}.size, 'event') %>, signed ${time(`${head}.at`)}, root <code class="whole"><%= ${head}.root %></code>`;

const render = compilePage<LogView & Inside>(`<% layout('@layout') %>
${historyTabs}
${filterForm}
<% if (it.answer !== null) { const { words } = it; const { from, head, newest, verified } = it.answer; %>
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
`);

export const logPage = (view: LogView): string =>
  render({
    ...view,
    title: `${view.problems.length > 0 ? 'Error: ' : ''}Was anything removed?`,
    wide: true,
    stylesheet: historyStylesheetPath,
    here: '/audit/log',
    heading: 'Was anything removed? Asked for',
    words,
  });
