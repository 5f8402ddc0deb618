import type { Scope } from '../../../domain/access/scope.ts';
import { addonPath, page, type FormView } from '../../pages/render.ts';

/** Times are RFC 3339. */
export type LiveGrantRow = {
  readonly grantId: string;
  readonly allowedBy: string;
  readonly scopes: readonly Scope[];
  readonly issuedAt: string;
  readonly lastTokenAt: string | null;
  readonly lastReadAt: string | null;
  readonly isUnused: boolean;
};

export type AddonGrantsView = FormView & {
  readonly organization: { readonly organizationId: string; readonly name: string };
  readonly addon: { readonly addonId: string; readonly name: string };
  readonly grants: readonly LiveGrantRow[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
  readonly unusedDays: number;
};

const timeOrNone = (variable: string) =>
  `<% if (${variable} === null) { %>None known<% } else { %><time datetime="<%= ${variable} %>"><%= words.momentOf(${variable}) %></time><% } %>`;

export const addonGrantsPage = page<AddonGrantsView>(
  (view) => `Grants of ${view.addon.name} – ${view.organization.name}`,
  `<% const { words } = it; %>
<p class="small"><a href="<%= it.here %>"><bdi><%= it.addon.name %></bdi> for <bdi><%= it.organization.name %></bdi></a></p>
<h1>Grants of <bdi><%= it.addon.name %></bdi></h1>
<p>Each grant lets the add-on read records of <bdi><%= it.organization.name %></bdi> until it is revoked or expires. Revoking one ends its tokens at once, on every server.</p>
<% if (it.grants.length === 0) { %><p class="card">No live grants<% if (it.next !== null) { %> on this page<% } %>.</p><% } else { %>
<ul class="rows">
<% it.grants.forEach((grant) => { %>
<li class="card">
<h2 class="small" id="of-<%= grant.grantId %>"><code><%= grant.grantId %></code><% if (grant.isUnused) { %> <span class="tag stop">Unused for <%= it.unusedDays %> days</span><% } %></h2>
<dl class="facts">
<dt>Allowed by</dt><dd><bdi><%= grant.allowedBy %></bdi></dd>
<dt>Opens</dt><dd><%= grant.scopes.length === 0 ? 'nothing' : words.scopeWords(grant.scopes) %></dd>
<dt>Since</dt><dd><time datetime="<%= grant.issuedAt %>"><%= words.momentOf(grant.issuedAt) %></time></dd>
<dt>Last token</dt><dd>${timeOrNone('grant.lastTokenAt')}</dd>
<dt>Last read</dt><dd>${timeOrNone('grant.lastReadAt')}</dd>
</dl>
<form method="post" action="<%= it.here %>/grants/<%= grant.grantId %>/revoke">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label for="reason-<%= grant.grantId %>">Reason (optional), shown in the audit log</label>
<input type="text" id="reason-<%= grant.grantId %>" name="reason" maxlength="500" autocomplete="off">
<div class="actions"><button type="submit" class="danger" aria-describedby="of-<%= grant.grantId %>">Revoke</button></div>
</form>
</li>
<% }) %>
</ul>
<% } %>
<% if (it.next !== null) { %><nav class="ways" aria-label="Pages"><a class="button plain" href="<%= it.here %>/grants?after=<%= it.next %>">Later grants</a></nav><% } %>
`,
  (view) => ({ wide: true, here: addonPath(view) }),
);
