import type { OrganizationAddon } from '../../projections/read-models.ts';
import { compilePage } from './render.ts';

export type AddonsView = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly organization: { readonly organizationId: string; readonly name: string };
  readonly addons: readonly OrganizationAddon[];
  /** Why the last click did nothing. */
  readonly problem: string | null;
};

const render = compilePage<AddonsView & { title: string; wide: true }>(`<% layout('@layout') %>
<p class="small"><a href="<%= it.base %>/admin">Your organizations</a></p>
<h1>Add-ons of <%= it.organization.name %></h1>
<% if (it.problem) { %><p class="alert" role="alert"><%= it.problem %></p><% } %>
<div class="card">
<% if (it.addons.length === 0) { %><p class="soft">No add-on is registered yet.</p><% } %>
<% it.addons.forEach((addon) => { const here = it.base + '/admin/organizations/' + it.organization.organizationId + '/addons/' + addon.addonId; %>
<div class="row">
<div>
<div><strong><%= addon.name %></strong>
<% if (addon.suspended) { %><span class="tag stop">Suspended</span><% } else if (addon.status === 'active') { %><span class="tag">Active</span><% } else { %><span class="tag off"><%= addon.status === 'deactivated' ? 'Deactivated' : 'Not active' %></span><% } %></div>
<div class="soft small"><code><%= addon.addonId %></code><% if (addon.status === 'active') { %> · <%= addon.liveGrants === 1 ? '1 connection' : addon.liveGrants + ' connections' %><% if (addon.activatedAt) { %> · since <%= addon.activatedAt.slice(0, 10) %><% } %><% } %></div>
</div>
<% if (addon.status === 'active') { %>
<form method="post" action="<%= here %>/deactivate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" class="danger" aria-label="Deactivate <%= addon.name %>">Deactivate</button>
</form>
<% } else if (addon.configurationUrl === null) { %>
<span class="soft small">Only for single users</span>
<% } else if (!addon.suspended) { %>
<form method="post" action="<%= here %>/activate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" aria-label="Activate <%= addon.name %>">Activate</button>
</form>
<% } %>
</div>
<% }) %>
</div>
<p class="soft small">Deactivating ends every connection of the add-on at once. Activating it again asks for approval again.</p>
`);

export const addonsPage = (view: AddonsView): string =>
  render({ ...view, title: `Add-ons of ${view.organization.name}`, wide: true });
