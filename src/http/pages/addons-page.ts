import type { OrganizationAddon } from '../../projections/read-models.ts';
import { dayOf } from './day-of.ts';
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

const render = compilePage<
  AddonsView & { title: string; wide: true; dayOf: typeof dayOf }
>(`<% layout('@layout') %>
<p class="small"><a href="<%= it.base %>/admin">Your organizations</a></p>
<h1>Add-ons of <bdi><%= it.organization.name %></bdi></h1>
<% if (it.problem) { %><p class="alert" role="alert"><%= it.problem %></p><% } %>
<div class="card">
<% if (it.addons.length === 0) { %><p class="soft">No add-on is registered yet.</p><% } else { %>
<ul class="rows">
<% it.addons.forEach((addon) => { const here = it.base + '/admin/organizations/' + it.organization.organizationId + '/addons/' + addon.addonId; const connections = addon.liveGrants === 1 ? '1 connection' : addon.liveGrants + ' connections'; %>
<li class="row">
<div>
<div><strong><bdi><%= addon.name %></bdi></strong>
<% if (addon.suspended) { %><span class="tag stop">Suspended</span><% } else if (addon.status === 'active') { %><span class="tag">Active</span><% } else { %><span class="tag off"><%= addon.status === 'deactivated' ? 'Deactivated' : 'Not active' %></span><% } %></div>
<div class="soft small"><code><%= addon.addonId %></code><% if (addon.status === 'active') { %> · <%= connections %><% if (addon.activatedAt) { %> · since <time datetime="<%= addon.activatedAt %>"><%= it.dayOf(addon.activatedAt) %></time><% } %><% } %></div>
</div>
<% if (addon.status === 'active') { %>
<details class="confirm">
<summary class="button danger">Deactivate<span class="hidden"> <%= addon.name %></span></summary>
<form method="post" action="<%= here %>/deactivate">
<p class="small"><%= connections %> of <bdi><%= addon.name %></bdi> with this organization will end at once. Activating it again asks for approval again.</p>
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" class="danger sure" aria-label="Deactivate <%= addon.name %>">Deactivate</button>
</form>
</details>
<% } else if (addon.configurationUrl === null) { %>
<span class="soft small">Only for single users</span>
<% } else if (!addon.suspended) { %>
<form method="post" action="<%= here %>/activate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" aria-label="Activate <%= addon.name %>">Activate</button>
</form>
<% } %>
</li>
<% }) %>
</ul>
<% } %>
</div>
<p class="soft small">Activating leads you to the add-on, which then asks for your approval.</p>
`);

/** A problem is said in the title first: that is what is read out. */
export const addonsPage = (view: AddonsView): string =>
  render({
    ...view,
    title: `${view.problem ? 'Error: ' : ''}Add-ons of ${view.organization.name}`,
    wide: true,
    dayOf,
  });
