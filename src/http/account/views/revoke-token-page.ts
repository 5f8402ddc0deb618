import { compilePage } from '../../pages/render.ts';
import type { TokenRow } from './tokens-section.ts';

export type RevokeTokenView = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly token: TokenRow;
};

const render = compilePage<RevokeTokenView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Revoke the token <bdi><%= it.token.name %></bdi>?</h1>
<p>Programs that use <strong><bdi><%= it.token.name %></bdi></strong> lose access at once.</p>
<ul>
<li>Activations and deactivations that they made stay in effect.</li>
<li>This cannot be undone; you can create a new token.</li>
</ul>
<form method="post" action="<%= it.base %>/account/tokens/<%= it.token.tokenId %>/revoke">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Revoke</button> <a class="button plain" href="<%= it.base %>/account">Keep it</a></div>
</form>
</div>
`);

export const revokeTokenPage = (view: RevokeTokenView): string =>
  render({ ...view, title: `Revoke the token ${view.token.name}?` });
