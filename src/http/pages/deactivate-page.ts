import type { AddonFacts } from '../admin/addon-facts.ts';
import { compilePage } from './render.ts';
import { words } from './words.ts';

export type DeactivateView = AddonFacts & {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly organization: { readonly organizationId: string; readonly name: string };
};

const render = compilePage<
  DeactivateView & { title: string; words: typeof words; here: string }
>(`<% layout('@layout') %>
<% const { addon, held, words } = it; %>
<div class="card">
<h1>Deactivate <bdi><%= addon.name %></bdi>?</h1>
<p><strong><bdi><%= addon.name %></bdi></strong> will at once lose all access to <strong><bdi><%= it.organization.name %></bdi></strong>.</p>
<h2>What stops</h2>
<ul>
<% if (!held) { %><li>Every connection. How many there are is not known at this moment.</li>
<% } else if (held.liveGrants === 0) { %><li>It has no connection now; it can no longer ask for one.</li>
<% } else { %><li><strong><%= words.countOf(held.liveGrants, 'connection') %></strong>, approved by <strong><%= words.countOf(held.approvers, 'person', 'people') %></strong>: every token is refused from then on, for good.</li><% } %>
<% if (held && held.unredeemedCodes > 0) { %><li><%= words.countOf(held.unredeemedCodes, 'code') %> that it was given and has not exchanged for a token, also those that have expired.</li><% } %>
<% if (held && held.scopes.length > 0) { %><li>It no longer sees this of the organization: <%= words.scopeWords(held.scopes) %>.</li><% } %>
</ul>
<h2>What stays</h2>
<ul>
<li>What single users allowed it for their own records; but it shows no more records of this organization.</li>
<li>What it has seen before, it may still have.</li>
<li>You can activate it again. It then has to be approved again: what ends now stays ended.</li>
</ul>
<form method="post" action="<%= it.here %>/deactivate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Deactivate</button> <a class="button plain" href="<%= it.here %>">Keep it</a></div>
</form>
</div>
`);

export const deactivatePage = (view: DeactivateView): string =>
  render({
    ...view,
    title: `Deactivate ${view.addon.name}?`,
    words,
    here: `${view.base}/admin/organizations/${view.organization.organizationId}/addons/${view.addon.addonId}`,
  });
