import type { OrganizationAddon } from '../../../projections/read-models.ts';
import { page, type FormView } from '../../pages/render.ts';
import { words } from '../../pages/words.ts';

export type AddonsView = FormView & {
  readonly organization: {
    readonly organizationId: string;
    readonly name: string;
    readonly isClosed: boolean;
  };
  readonly addons: readonly OrganizationAddon[];
  /** Why the last action was not done. */
  readonly problem: string | null;
};

export const addonsPage = page<AddonsView>(
  (view) => `Add-ons of ${view.organization.name}`,
  `<p class="small"><a href="<%= it.base %>/admin">Your organizations</a></p>
<h1>Add-ons of <bdi><%= it.organization.name %></bdi></h1>
<p class="small"><a href="<%= it.base %>/admin/organizations/<%= it.organization.organizationId %>/timeline">History: what happened, and who decided it</a></p>
<% if (it.problem) { %><p class="alert" role="alert"><%= it.problem %></p><% } %>
<% if (it.organization.isClosed) { %><p class="notice">The organization is closed: no add-on can be activated for it. Its history stays.</p><% } %>
<div class="card">
<% if (it.addons.length === 0) { %><p class="soft">No add-on is registered yet.</p><% } else { %>
<ul class="rows">
<% it.addons.forEach((addon) => { const { words } = it; const here = it.base + '/admin/organizations/' + it.organization.organizationId + '/addons/' + addon.addonId; %>
<li class="row">
<div>
<div><strong><a href="<%= here %>"><bdi><%= addon.name %></bdi></a></strong>
<% if (addon.status === 'active') { %><span class="tag">Active</span><% } else { %><span class="tag off"><%= addon.status === 'deactivated' ? 'Deactivated' : 'Never activated' %></span><% } %><% if (addon.suspended) { %> <span class="tag stop">Suspended</span><% } %><% if (addon.retired) { %> <span class="tag stop">Retired</span><% } %></div>
<% if (addon.publisher) { %><div class="soft small">By <bdi><%= addon.publisher %></bdi></div><% } %>
<% if (addon.status === 'active') { %>
<div class="small"><%= words.countOf(addon.liveGrants, 'grant') %><% if (addon.liveGrants > 0) { %>, approved by <%= words.countOf(addon.approvers, 'person', 'people') %><% } %><% if (addon.scopes.length > 0) { %> · sees <%= words.scopeWords(addon.scopes) %><% } %></div>
<div class="soft small"><% if (addon.lastTokenAt) { %>Got its last token on <time datetime="<%= addon.lastTokenAt %>"><%= it.dayOf(addon.lastTokenAt) %></time>. <% } %><% if (addon.activatedAt) { %>Activated on <time datetime="<%= addon.activatedAt %>"><%= it.dayOf(addon.activatedAt) %></time> by <bdi><%= it.actor(addon.activatedBy, addon.activatedByName) %></bdi><% } %></div>
<% } else if (addon.deactivatedAt) { %>
<div class="soft small">Deactivated on <time datetime="<%= addon.deactivatedAt %>"><%= it.dayOf(addon.deactivatedAt) %></time> by <bdi><%= it.actor(addon.deactivatedBy, addon.deactivatedByName) %></bdi></div>
<% } %>
<% if (addon.status !== 'active' && addon.configurationUrl !== null && !addon.suspended && !addon.retired && !it.organization.isClosed) { %>
<div class="soft small" id="leads-<%= addon.addonId %>">Activating sends you to <bdi><%= words.hostOf(addon.configurationUrl) %></bdi>, and it asks for your approval<% if (addon.allowedScopes.length > 0) { %> of at most: <%= words.allowedWords(addon.allowedScopes) %><% } %>.</div>
<% } %>
</div>
<% if (addon.status === 'active') { %>
<a class="button danger" href="<%= here %>/deactivate">Deactivate<span class="hidden"> <bdi><%= addon.name %></bdi></span></a>
<% } else if (addon.configurationUrl === null) { %>
<span class="soft small">Only for individual users: it has no configuration URL</span>
<% } else if (!addon.suspended && !addon.retired && !it.organization.isClosed) { %>
<form method="post" action="<%= here %>/activate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" aria-label="Activate <%= addon.name %>" aria-describedby="leads-<%= addon.addonId %>">Activate</button>
</form>
<% } %>
</li>
<% }) %>
</ul>
<% } %>
</div>
`,
  () => ({ wide: true, actor }),
);

const actor = (by: string | null, name: string | null): string =>
  words.actorOf(by ?? '', new Map(by !== null && name !== null ? [[by, name]] : []));

type OrganizationsView = {
  readonly base: string;
  readonly signedIn: string;
  readonly audits: boolean;
  readonly operates: boolean;
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
};

export const organizationsPage = page<OrganizationsView>(
  'Your organizations',
  `<div class="card">
<h1>Your organizations</h1>
<% if (it.organizations.length === 0) { %><p class="soft">You do not administer an organization.</p><% } %>
<% it.organizations.forEach(({ organizationId, name }) => { %>
<div class="row"><strong><bdi><%= name %></bdi></strong><a class="button plain" href="<%= it.base %>/admin/organizations/<%= organizationId %>">Add-ons<span class="hidden"> of <bdi><%= name %></bdi></span></a></div>
<% }) %>
</div>
<p class="soft small">See the add-ons with access to your own records under <a href="<%= it.base %>/account">your account</a>.<% if (it.audits) { %> You may read <a href="<%= it.base %>/audit">audit logs</a>.<% } %><% if (it.operates) { %> You may see the <a href="<%= it.base %>/operator">service status</a>.<% } %></p>
`,
);
