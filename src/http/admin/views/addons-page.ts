import type { OrganizationAddon } from '../../../projections/read-models.ts';
import { dayOf } from '../../pages/day-of.ts';
import { compilePage } from '../../pages/render.ts';
import { words } from '../../pages/words.ts';

export type AddonsView = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly organization: {
    readonly organizationId: string;
    readonly name: string;
    readonly isClosed: boolean;
  };
  readonly addons: readonly OrganizationAddon[];
  /** Why the last action was not done. */
  readonly problem: string | null;
};

const render = compilePage<
  AddonsView & { title: string; wide: true; dayOf: typeof dayOf; words: typeof words; actor: typeof actor }
>(`<% layout('@layout') %>
<p class="small"><a href="<%= it.base %>/admin">Your organizations</a></p>
<h1>Add-ons of <bdi><%= it.organization.name %></bdi></h1>
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
`);

const actor = (by: string | null, name: string | null): string =>
  words.actorOf(by ?? '', new Map(by !== null && name !== null ? [[by, name]] : []));

/** The title begins with a problem, because screen readers read the title first. */
export const addonsPage = (view: AddonsView): string =>
  render({
    ...view,
    title: `${view.problem ? 'Error: ' : ''}Add-ons of ${view.organization.name}`,
    wide: true,
    dayOf,
    words,
    actor,
  });
