/** A passkey as its user sees it. */
export type PasskeyRow = {
  readonly passkeyId: string;
  readonly name: string;
  readonly synced: boolean;
  /** RFC 3339 UTC. */
  readonly addedAt: string;
  /** Null: never. */
  readonly lastUsedAt: string | null;
};

/** `whyNot`: why none can be added, as a sentence; null where one can. */
export type PasskeysView = { readonly rows: readonly PasskeyRow[]; readonly whyNot: string | null };

/** Section of the account page (`AccountView`); none for users who sign in without a password. */
export const passkeysSection = `<% if (it.passkeys) { %>
<section class="card" aria-labelledby="passkeys">
<h2 id="passkeys">Passkeys</h2>
<% if (it.passkeys.rows.length === 0) { %><p class="soft">None. A passkey signs you in with the fingerprint, face or PIN of a device.</p><% } else { %>
<ul class="rows">
<% it.passkeys.rows.forEach((passkey) => { %>
<li class="row">
<div>
<div><strong><bdi><%= passkey.name %></bdi></strong></div>
<div class="soft small">Added <time datetime="<%= passkey.addedAt %>"><%= it.dayOf(passkey.addedAt) %></time><br><% if (passkey.lastUsedAt) { %>Last used <time datetime="<%= passkey.lastUsedAt %>"><%= it.momentOf(passkey.lastUsedAt) %></time><% } else { %>Never used<% } %><% if (passkey.synced) { %><br>May be on several devices<% } %></div>
</div>
<div><a class="button plain" href="<%= it.base %>/account/passkeys/<%= passkey.passkeyId %>/rename">Rename<span class="hidden"> the passkey <bdi><%= passkey.name %></bdi></span></a> <a class="button danger" href="<%= it.base %>/account/passkeys/<%= passkey.passkeyId %>/remove">Remove<span class="hidden"> the passkey <bdi><%= passkey.name %></bdi></span></a></div>
</li>
<% }) %>
</ul>
<% } %>
<% if (it.passkeys.whyNot) { %><p class="soft small"><%= it.passkeys.whyNot %></p><% } else { %><div class="actions"><a class="button plain" href="<%= it.base %>/account/passkeys/new">Add passkey</a></div><% } %>
</section>
<% } %>`;
