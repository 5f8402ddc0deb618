import type { Sentence } from '../../../domain/kernel/sentence.ts';
import type { TimelineEntry } from '../../../audit/timeline/timeline.ts';
import { shortEventOf, stateWords } from '../../../audit/timeline/notifications.ts';
import { historyPage, type QuestionsView } from './history-filters.ts';
import { sentence } from '../../pages/render.ts';

export type TimelineView = QuestionsView & {
  readonly entries: readonly (TimelineEntry & { readonly by: Sentence | null; readonly place: string })[];
  /** Addresses under `base`, with the same filters; null if there is no page there. */
  readonly earlier: string | null;
  readonly later: string | null;
  /** The log position that this page has reached; newer events are not included. */
  readonly upTo: string | null;
  /** Months that are not included. */
  readonly archived: readonly string[];
};

export const timelinePage = historyPage<TimelineView>(
  { here: '/audit', heading: 'History of' },
  `<% if (it.problems.length === 0) { %>
<section class="card" aria-labelledby="entries">
<h2 id="entries"><%= it.later === null ? 'Events, up to the newest' : 'Events' %></h2>
<% if (it.archived.length > 0) { %><p role="status">Not complete: the history of <%= it.archived.join(', ') %> is archived. An operator can bring it back.</p><% } %>
<% if (it.entries.length === 0) { %><p class="soft">No events match these filters.</p><% } else { %>
<p class="soft small">The oldest first. Times are in UTC; those of events are the log’s.</p>
<ol class="entries">
<% it.entries.forEach((entry) => { %>
<li>
<p>${sentence('entry.words')}</p>
<p class="small"><time datetime="<%= entry.time %>"><%= it.words.momentOf(entry.time) %></time><% if (entry.by !== null) { %>, by ${sentence('entry.by')}<% } %><% if (entry.tokenId !== null) { %>, with the administrator token <code><%= entry.tokenId %></code><% } %><% if (entry.why !== null) { %>, because ${sentence('entry.why')}<% } %></p>
<% entry.told.forEach((told) => { %><p class="small">Message to <% if (told.addon.name !== null) { %><bdi><%= told.addon.name %></bdi> (<%= told.addon.id %>)<% } else { %><%= told.addon.id %><% } %>: <%= it.shortEventOf(told) %>, <%= it.stateWords(told) %><% if (told.acknowledgedAt !== null) { %> on <time datetime="<%= told.acknowledgedAt %>"><%= it.words.momentOf(told.acknowledgedAt) %></time><% } %> <span class="soft">(jti <code><%= told.jti %></code>)</span></p>
<% }) %><p class="soft small"><code><%= entry.type %></code> in <code><%= entry.stream %>@<%= entry.revision %></code> at <code><%= entry.place %></code></p>
</li>
<% }) %>
</ol>
<% } %>
<% if (it.earlier !== null || it.later !== null) { %><nav class="ways" aria-label="Pages"><% if (it.earlier !== null) { %><a class="button plain" href="<%= it.base %><%= it.earlier %>">Earlier</a><% } %><% if (it.later !== null) { %><a class="button plain" href="<%= it.base %><%= it.later %>">Later</a><% } %></nav><% } %>
</section>
<p class="soft small">This search was recorded in the audit log.<% if (it.upTo !== null) { %> Includes events up to position <code><%= it.upTo %></code>.<% } %></p>
<% } %>
`,
  () => ({
    shortEventOf,
    stateWords,
  }),
);
