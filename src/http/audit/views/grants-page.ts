import type { GrantBar } from '../../../audit/timeline/timeline.ts';
import { endMarks, patternDefinitions, type BarKind } from '../../admin/views/end-marks.ts';
import { historyPage, type QuestionsView } from './history-filters.ts';
import { sentence } from '../../pages/render.ts';

/** A grant with its position in the chart, in percent of the chart's width. */
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
  /** Start, middle and end of the axis. */
  readonly ticks: readonly { readonly at: number; readonly time: string }[];
  readonly earlier: string | null;
};

export const grantsPage = historyPage<GrantsView>(
  { here: '/audit/grants', heading: 'Grants of' },
  `<% if (it.problems.length === 0) { %>
<section class="card" aria-labelledby="picture">
<h2 id="picture">Grants over time</h2>
<% if (it.grants.length === 0) { %><p class="soft">No grants match these filters.</p><% } else { const { marks, words } = it; %>
<p class="soft small">Each bar is a grant, from its issue to its end. Its colour, its pattern and the letter at its end say why it ended. The table below says the same in words. Times are in UTC.</p>
${patternDefinitions}
<ul class="legend" aria-label="Why a grant ended">
<% it.kinds.forEach((kind) => { %><li><svg class="swatch" width="44" height="18" aria-hidden="true" focusable="false"><rect x="0" y="3" width="26" height="12" class="of-<%= kind %>"/><% if (marks[kind].pattern !== 'plain') { %><rect x="0" y="3" width="26" height="12" fill="url(#pattern-<%= marks[kind].pattern %>)"/><% } %><text x="31" y="14"><%= marks[kind].letter %></text></svg><span class="small"><%= marks[kind].words %></span></li>
<% }) %></ul>
<div class="axis-words soft small" aria-hidden="true"><% it.ticks.forEach(({ time }) => { %><span><%= it.axisWords(time, it.ticks) %></span><% }) %></div>
<svg class="axis" height="10" aria-hidden="true" focusable="false"><line x1="<%= it.ticks[0].at %>%" x2="<%= it.ticks[2].at %>%" y1="9" y2="9"/><% it.ticks.forEach(({ at }) => { %><line x1="<%= at %>%" x2="<%= at %>%" y1="2" y2="9"/><% }) %></svg>
<ol class="bars" aria-hidden="true">
<% it.grants.forEach((grant, index) => { const mark = marks[grant.kind]; %>
<li><div class="small"><%= index + 1 %>. <bdi><%= grant.addon.name ?? grant.addon.id %></bdi></div>
<svg class="grant-bar" height="18" focusable="false"><line x1="0" x2="100%" y1="17.5" y2="17.5" class="row-line"/><rect x="<%= grant.left %>%" y="3" width="<%= grant.width %>%" height="12" class="of-<%= grant.kind %>"/><% if (mark.pattern !== 'plain') { %><rect x="<%= grant.left %>%" y="3" width="<%= grant.width %>%" height="12" fill="url(#pattern-<%= mark.pattern %>)"/><% } %><% if (!grant.beganBefore) { %><line x1="<%= grant.left %>%" x2="<%= grant.left %>%" y1="1" y2="17" class="issue"/><% } %><svg x="<%= grant.left + grant.width %>%" width="24" height="18"><text x="4" y="14"><%= grant.goesOn ? marks.open.letter : mark.letter %></text></svg></svg></li>
<% }) %>
</ol>
<% } %>
</section>
<% if (it.grants.length > 0) { %>
<section class="card">
<table class="grants" role="table">
<caption>The same in words</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Grant</th><th scope="col" role="columnheader">Approved by</th><th scope="col" role="columnheader">Opens</th><th scope="col" role="columnheader">Issued</th><th scope="col" role="columnheader">Last used</th><th scope="col" role="columnheader">Ended</th></tr></thead>
<tbody role="rowgroup">
<% it.grants.forEach((grant, index) => { const { words, marks } = it; %>
<tr role="row">
<th scope="row" role="rowheader"><%= index + 1 %>. <bdi><%= grant.addon.name ?? grant.addon.id %></bdi><br><a class="small" href="<%= it.base %>/audit?organization=<%= it.organization.organizationId %>&amp;grant=<%= grant.grantId %>"><code><%= grant.grantId %></code></a></th>
<td role="cell" data-label="Approved by"><bdi><%= grant.approvedBy.name ?? grant.approvedBy.id %></bdi></td>
<td role="cell" data-label="Opens"><%= grant.scopes.length === 0 ? 'nothing' : words.scopeWords(grant.scopes) %></td>
<td role="cell" data-label="Issued"><time datetime="<%= grant.issuedAt %>"><%= words.momentOf(grant.issuedAt) %></time><% if (grant.redeemedAt === null) { %>, never exchanged<% } %></td>
<td role="cell" data-label="Last used"><% if (grant.lastReadAt !== null) { %>read <time datetime="<%= grant.lastReadAt %>"><%= words.momentOf(grant.lastReadAt) %></time><% } else { %>no read<% } %><% if (grant.lastTokenAt !== null) { %>; token <time datetime="<%= grant.lastTokenAt %>"><%= words.momentOf(grant.lastTokenAt) %></time><% } %></td>
<td role="cell" data-label="Ended"><% if (grant.endedAt === null) { %>Not yet<% } else { %><time datetime="<%= grant.endedAt %>"><%= words.momentOf(grant.endedAt) %></time>: <% if (grant.why) { %>${sentence('grant.why')}<% } else { %><%= marks[grant.kind].words %><% } %><% } %></td>
</tr>
<% }) %>
</tbody>
</table>
</section>
<% } %>
<% if (it.earlier !== null) { %><nav class="ways" aria-label="Pages"><a class="button plain" href="<%= it.base %><%= it.earlier %>">Grants issued earlier</a></nav><% } %>
<p class="soft small">This search was recorded in the audit log.</p>
<% } %>
`,
  (view) => ({
    marks: endMarks,
    kinds: (Object.keys(endMarks) as BarKind[]).filter((kind) =>
      view.grants.some((grant) => grant.kind === kind),
    ),
    axisWords,
  }),
);

const day = 86_400_000;

/** The day, or the time of day if the axis covers only a few days. */
const axisWords = (time: string, ticks: GrantsView['ticks']): string => {
  const [first, last] = [ticks.at(0), ticks.at(-1)];
  const length = first && last ? Date.parse(last.time) - Date.parse(first.time) : 0;
  return length < 3 * day ? `${time.slice(5, 10)} ${time.slice(11, 16)}` : time.slice(0, 10);
};
