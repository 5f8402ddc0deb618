/** A token as its user sees it. */
export type TokenRow = {
  readonly tokenId: string;
  readonly name: string;
  /** RFC 3339 UTC. */
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** The organization that the token is limited to; null for one that is for all organizations of the user. */
  readonly organizationName: string | null;
  /** Until when it has the rights that a provider's claim gave: RFC 3339 UTC, or `ended`; null where there are none. */
  readonly providerRights: string | null;
};

/** Section of the account page (`AccountView`), for users who administer an organization or still have a token. */
export const tokensSection = `<% if (it.administers || it.tokens.length > 0) { %>
<section class="card" aria-labelledby="tokens">
<h2 id="tokens">Administrator tokens</h2>
<p class="soft small">With a token a program activates and deactivates add-ons for you, wherever you are an administrator. Anyone with this token can act as you.</p>
<% if (it.tokens.length > 0) { %>
<ul class="rows">
<% it.tokens.forEach((token) => { %>
<li class="row">
<div>
<div><strong><bdi><%= token.name %></bdi></strong></div>
<div class="small">For <% if (token.organizationName === null) { %>all organizations that you administer<% } else { %><bdi><%= token.organizationName %></bdi><% } %></div>
<div class="soft small">Made <time datetime="<%= token.issuedAt %>"><%= it.dayOf(token.issuedAt) %></time><br>Expires <time datetime="<%= token.expiresAt %>"><%= it.dayOf(token.expiresAt) %></time><% if (token.providerRights === 'ended') { %><br>Rights from your sign-in provider are paused: sign in with it again<% } else if (token.providerRights !== null) { %><br>Rights from your sign-in provider until <time datetime="<%= token.providerRights %>"><%= it.dayOf(token.providerRights) %></time>, or until you sign out there<% } %></div>
</div>
<a class="button danger" href="<%= it.base %>/account/tokens/<%= token.tokenId %>/revoke">Revoke<span class="hidden"> the token <bdi><%= token.name %></bdi></span></a>
</li>
<% }) %>
</ul>
<% } %>
<% if (it.administers) { %><div class="actions"><a class="button plain" href="<%= it.base %>/account/tokens/new">Create token</a></div><% } %>
</section>
<% } %>`;
