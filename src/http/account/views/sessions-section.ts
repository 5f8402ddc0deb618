/** A session as its user sees it. */
export type SessionRow = {
  readonly sessionId: string;
  /** Null where it is not known. */
  readonly device: string | null;
  readonly network: string | null;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly lastSeenAt: string;
  /** The session of this browser. */
  readonly isThis: boolean;
  readonly live: boolean;
};

const origin = `<strong><%= row.device ?? 'Unknown device' %></strong><% if (row.network) { %> <span class="soft"><bdi><%= row.network %></bdi></span><% } %>`;
const moment = (field: keyof SessionRow) =>
  `<time datetime="<%= row.${field} %>"><%= it.momentOf(row.${field}) %></time>`;

/** Section of the account page (`AccountView`): where the user is signed in, and the latest sign-ins. */
export const sessionsSection = `<section class="card" aria-labelledby="sessions">
<h2 id="sessions">Where you are signed in</h2>
<ul class="rows">
<% it.sessions.live.forEach((row) => { %>
<li class="row">
<div>
<div>${origin}<% if (row.isThis) { %> <span class="tag">This one</span><% } %></div>
<div class="soft small">Signed in ${moment('startedAt')}<br>Last seen ${moment('lastSeenAt')}</div>
</div>
<% if (!row.isThis) { %>
<form method="post" action="<%= it.base %>/account/sessions/<%= row.sessionId %>/end">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" class="danger" aria-label="End the session of <%= row.device ?? 'an unknown device' %> of <%= it.momentOf(row.startedAt) %>">End</button>
</form>
<% } %>
</li>
<% }) %>
</ul>
<% if (it.sessions.live.length > 1) { %>
<form method="post" action="<%= it.base %>/account/sessions/end-others">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger">End all others</button></div>
</form>
<% } %>
<h3 id="sign-ins">Latest sign-ins</h3>
<ul class="rows" aria-labelledby="sign-ins">
<% it.sessions.latest.forEach((row) => { %>
<li class="small">${moment('startedAt')}: <%= row.device ?? 'unknown device' %><% if (row.network) { %>, <bdi><%= row.network %></bdi><% } %><% if (!row.live) { %> <span class="soft">(ended)</span><% } %></li>
<% }) %>
</ul>
</section>`;
