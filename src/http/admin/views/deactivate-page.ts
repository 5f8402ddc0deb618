import type { AddonFacts } from '../addon-facts.ts';
import { compilePage } from '../../pages/render.ts';
import { words } from '../../pages/words.ts';

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
<% if (!held) { %><li>All grants. Their number is currently unknown.</li>
<% } else if (held.liveGrants === 0) { %><li>It has no grants now, and can no longer ask for any.</li>
<% } else { %><li><strong><%= words.countOf(held.liveGrants, 'grant') %></strong>, approved by <strong><%= words.countOf(held.approvers, 'person', 'people') %></strong>: all their tokens are refused at once and permanently.</li><% } %>
<% if (held && held.unredeemedCodes > 0) { %><li><%= words.countOf(held.unredeemedCodes, 'code') %> issued and not exchanged for tokens, including expired ones.</li><% } %>
<% if (held && held.scopes.length > 0) { %><li>It no longer sees this of the organization: <%= words.scopeWords(held.scopes) %>.</li><% } %>
</ul>
<h2>What stays</h2>
<ul>
<li>Access that individual users gave to their own records, but without records of this organization.</li>
<li>Data that it has already read may still be stored by it.</li>
<li>You can activate it again. It then needs new approvals: tokens revoked now stay revoked.</li>
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
