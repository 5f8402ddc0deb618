import type { AllowedAddon } from '../../../projections/read-models.ts';
import { plainWords } from '../../pages/plain-words.ts';
import { compilePage } from '../../pages/render.ts';

export type WithdrawView = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly addon: AllowedAddon;
};

const render = compilePage<
  WithdrawView & { title: string; words: typeof plainWords }
>(`<% layout('@layout') %>
<div class="card">
<h1>Withdraw the access of <bdi><%= it.addon.name %></bdi>?</h1>
<p><strong><bdi><%= it.addon.name %></bdi></strong> will at once no longer see your own records<% if (it.addon.scopes.length > 0) { %>: <%= it.addon.scopes.map((scope) => it.words[scope].short).join(', ') %><% } %>.</p>
<ul>
<li>Data that it has already read may still be stored by it.</li>
<li>Access that organizations gave continues.</li>
<li>It can ask you again, and you can decide again.</li>
</ul>
<form method="post" action="<%= it.base %>/account/addons/<%= it.addon.addonId %>/withdraw">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Withdraw</button> <a class="button plain" href="<%= it.base %>/account">Keep it</a></div>
</form>
</div>
`);

export const withdrawPage = (view: WithdrawView): string =>
  render({ ...view, title: `Withdraw the access of ${view.addon.name}?`, words: plainWords });
