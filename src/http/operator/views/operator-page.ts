import type { OperatorStatus, WorkerHealth, GroupLag } from '../../../projections/operations/status.ts';
import { historyStylesheetPath } from '../../audit/views/history-stylesheet.ts';
import { page } from '../../pages/render.ts';
import { words } from '../../pages/words.ts';

export type OperatorPageView = {
  readonly base: string;
  readonly signedIn: string;
  readonly status: OperatorStatus;
  readonly places: readonly { readonly href: string; readonly label: string }[];
};

/** One cell with its own label, for narrow pages that show columns as rows. */
const cell = (label: string, content: string): string =>
  `<td role="cell" data-label="${label}">${content}</td>`;
const head = (...labels: readonly string[]): string =>
  `<thead role="rowgroup"><tr role="row">${labels.map((label) => `<th scope="col" role="columnheader">${label}</th>`).join('')}</tr></thead>`;
const time = (value: string): string =>
  `<time datetime="<%= it.timeOf(${value}) %>"><%= it.words.momentOf(it.timeOf(${value})) %></time>`;

export const operatorPage = page<OperatorPageView>(
  'Operator',
  `<% const { status, words } = it; const { database } = status; %>
<h1>Operator</h1>
<p<% if (it.summary.isWell) { %> class="notice" role="status"<% } else { %> class="alert" role="alert"<% } %>><%= it.summary.text %></p>
<nav class="tabs" aria-label="What you look after">
<% it.places.forEach(({ href, label }) => { %><a href="<%= it.base %><%= href %>"><%= label %></a>
<% }) %><a href="#rebuilds">Rebuilds</a>
</nav>
<h2>Service status</h2>
<p class="soft">Reported by <code><%= status.instance %></code> on ${time('status.at')}. <a href="<%= it.base %>/operator">Refresh</a></p>
<% if (database === null) { %><p class="wrong" role="alert">The database does not answer, so some sections are missing below.</p><% } %>
<% if (status.lostKeys) { %><section class="card" aria-labelledby="lost-keys">
<h2 id="lost-keys">Keys of persons</h2>
<p class="wrong" role="alert">key lost: the keys of <%= words.countOf(status.lostKeys, 'person') %> are missing, but were not deleted. Stop all instances and restore the keys with <code>grantbook keys restore</code>.</p>
</section><% } %>
<section class="card" aria-labelledby="lag">
<h2 id="lag">Lag of the read models</h2>
<p class="soft small">One bar for every ten seconds, newest on the right, scaled to the highest lag. Outlined bar: no data.</p>
<% it.charts.forEach(({ name, summary, bars }) => { %>
<h3><%= name %></h3>
<p><%= summary %></p>
<svg class="lag" viewBox="0 0 <%= it.size.width %> <%= it.size.height %>" role="img" aria-label="Lag of <%= name %>: <%= summary %>" focusable="false"><% bars.forEach(({ x, y, height, known }) => { %><rect x="<%= x %>" y="<%= y %>" width="<%= it.size.bar %>" height="<%= height %>" <% if (known) { %>fill="currentColor"<% } else { %>fill="none" stroke="currentColor"<% } %>/><% }) %><line x1="0" x2="<%= it.size.width %>" y1="<%= it.size.height - 0.5 %>" y2="<%= it.size.height - 0.5 %>" stroke="currentColor"/></svg>
<% }) %>
<% if (it.charts.length === 0) { %><p class="soft">This instance measures no lag.</p><% } %>
</section>
<% if (database !== null) { %>
<section class="card"><table class="grants" role="table"><caption>Checkpoints and leaders</caption>
${head('Group', 'Checkpoint', 'Leader')}
<tbody role="rowgroup"><% database.groups.forEach(({ name, position, leader }) => { %>
<tr role="row"><th scope="row" role="rowheader"><%= name %></th>
${cell('Checkpoint', `<code><%= position ?? 'nothing yet' %></code>`)}
${cell('Leader', `<% if (leader === null) { %>none<% } else { %><code><%= leader %></code><% } %>`)}</tr>
<% }) %></tbody></table></section>
<section class="card"><table class="grants" role="table"><caption>Running instances</caption>
${head('Instance', 'Since', 'Leads')}
<tbody role="rowgroup"><% database.instances.forEach(({ name, since, leads }) => { %>
<tr role="row"><th scope="row" role="rowheader"><code><%= name %></code></th>
${cell('Since', time('since'))}
${cell('Leads', `<%= leads.join(', ') || 'nothing' %>`)}</tr>
<% }) %></tbody></table></section>
<% } %>
<section class="card"><table class="grants" role="table"><caption>Workers of this instance</caption>
${head('Worker', 'State', 'Health')}
<tbody role="rowgroup"><% status.workers.forEach(({ name, state, health }) => { %>
<tr role="row"><th scope="row" role="rowheader"><%= name %></th>
${cell('State', '<%= state %>')}
${cell('Health', `<%= it.healthWords[health] %>`)}</tr>
<% }) %></tbody></table></section>
<% if (database !== null) { %>
<section class="card" aria-labelledby="parked">
<h2 id="parked">Parked keys</h2>
<% if (database.parked.all === 0) { %><p>Nothing is parked.</p><% } else { %>
<p><%= words.countOf(database.parked.all, 'key') %> parked. Resolve with <code>grantbook parked list</code>, <code>retry</code> and <code>skip</code>.</p>
<table class="grants" role="table"><caption>The oldest of them</caption>
${head('Key', 'Read model', 'Since', 'Why', 'Events')}
<tbody role="rowgroup"><% database.parked.keys.forEach(({ first, events }) => { %>
<tr role="row"><th scope="row" role="rowheader"><code><%= first.stream %></code></th>
${cell('Read model', '<%= first.projection %>')}
${cell('Since', time('first.parkedAt'))}
${cell('Why', `<%= first.error ?? 'waits' %>`)}
${cell('Events', '<%= events %>')}</tr>
<% }) %></tbody></table>
<% } %>
</section>
<section class="card" aria-labelledby="rebuilds">
<h2 id="rebuilds">Rebuilds</h2>
<% if (database.rebuilds.length === 0) { %><p>None is being built.</p><% } %>
<% database.rebuilds.forEach((one) => { %>
<p><strong><%= one.name %>, version <%= one.version %></strong>: <%= one.state %>, <%= words.countOf(one.events, 'event') %><% if (one.eventsPerSecond !== null) { %>, <%= one.eventsPerSecond %> events/s<% } %><% if (one.state === 'building' && one.secondsLeft !== null) { %>, <%= words.countOf(one.secondsLeft, 'second') %> left<% } %></p>
<% }) %>
</section>
<% } %>
`,
  (view) => ({
    summary: summaryOf(view.status),
    wide: true,
    stylesheet: historyStylesheetPath,
    timeOf: (at: number) => new Date(at).toISOString(),
    charts: view.status.lag.map(lagChart),
    healthWords,
    size: { width: chartWidth, height: chartHeight, bar: barWidth },
  }),
);

const healthWords: Readonly<Record<WorkerHealth, string>> = { ok: 'OK', failing: 'Failing', off: 'Off' };

/** One bar for each sample, scaled to the highest lag. SVG attributes only, because pages must not contain styles. */
type LagChart = {
  readonly name: string;
  readonly summary: string;
  readonly bars: readonly LagBar[];
};

type LagBar = { readonly x: number; readonly y: number; readonly height: number; readonly known: boolean };

const chartWidth = 600;
const chartHeight = 60;
const barWidth = 8;
const pitch = 10;

const lagChart = ({ name, most, samples }: GroupLag): LagChart => {
  const highest = Math.max(1, ...samples.map(({ behind }) => behind ?? 0));
  const first = chartWidth - samples.length * pitch;
  return {
    name,
    summary: lagWords(samples, most),
    bars: samples.map(({ behind }, index) => {
      const height = behind === null ? chartHeight : Math.round((behind / highest) * (chartHeight - 2)) + 2;
      return { x: first + index * pitch, y: chartHeight - height, height, known: behind !== null };
    }),
  };
};

const lagWords = (samples: GroupLag['samples'], mostCounted: number): string => {
  const countText = (events: number) =>
    events >= mostCounted
      ? `${mostCounted.toLocaleString('en-GB')} events or more`
      : `${events} ${events === 1 ? 'event' : 'events'}`;
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last) return 'no data yet';
  const known = samples.flatMap(({ behind }) => (behind === null ? [] : [behind]));
  const now = last.behind === null ? 'unknown now' : `${countText(last.behind)} behind now`;
  const seconds = Math.round((last.at - first.at) / 1000);
  const most =
    known.length === 0 ? '' : `; ${countText(Math.max(...known))} at most in the last ${seconds} seconds`;
  return `${now}${most}`;
};

type StatusSummary = { readonly isWell: boolean; readonly text: string };

/** The status in one sentence: what needs attention, or that nothing does. */
const summaryOf = ({ database, lostKeys, workers }: OperatorStatus): StatusSummary => {
  const failing = workers.filter(({ health }) => health === 'failing').map(({ name }) => name);
  const troubles = [
    ...(database === null ? ['the database does not answer'] : []),
    ...(lostKeys ? [`the keys of ${words.countOf(lostKeys, 'person')} are missing`] : []),
    ...(failing.length > 0 ? [`failing on this instance: ${failing.join(', ')}`] : []),
    ...(database !== null && database.parked.all > 0
      ? [`${words.countOf(database.parked.all, 'key')} parked`]
      : []),
    ...(database !== null && database.failingEndpoints > 0
      ? [`${words.countOf(database.failingEndpoints, 'add-on')} cannot be notified by push`]
      : []),
  ];
  if (troubles.length > 0) return { isWell: false, text: `Needs attention: ${troubles.join('; ')}.` };
  const running = words.countOf(database?.instances.length ?? 0, 'instance');
  return { isWell: true, text: `Everything works: ${running} running, and nothing is parked.` };
};
