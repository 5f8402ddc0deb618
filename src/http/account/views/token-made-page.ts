import { dayOf } from '../../pages/day-of.ts';
import { compilePage } from '../../pages/render.ts';

export type TokenMadeView = {
  readonly base: string;
  readonly signedIn: string;
  readonly name: string;
  /** RFC 3339 UTC. */
  readonly expiresAt: string;
  readonly token: string;
};

const render = compilePage<TokenMadeView & { title: string; dayOf: typeof dayOf }>(`<% layout('@layout') %>
<div class="card">
<h1>Your token <bdi><%= it.name %></bdi></h1>
<p class="notice" role="status">Copy it now: it is shown only once.</p>
<p><code class="whole"><%= it.token %></code></p>
<p class="soft">It expires <time datetime="<%= it.expiresAt %>"><%= it.dayOf(it.expiresAt) %></time>. Anyone with this token can act as you: keep it where you keep passwords, and revoke it when it is no longer needed.</p>
<p class="soft small">Rights that your sign-in provider gives you pause when you sign out there, and when you have not signed in with it for a time that your account shows; the next sign-in brings them back.</p>
<p class="soft small">A program sends it as <code>Authorization: Bearer</code>; <a href="<%= it.base %>/docs#/Add-ons%20of%20an%20organization">the documentation</a> says where.</p>
<div class="actions"><a class="button plain" href="<%= it.base %>/account">Your account</a></div>
</div>
`);

/** The only page that ever shows the token. */
export const tokenMadePage = (view: TokenMadeView): string =>
  render({ ...view, title: 'Copy your token', dayOf });
