import { page } from '../../../pages/render.ts';

export type LogoutView = {
  readonly base: string;
  /** Null if no user is signed in: then there is nothing to confirm. */
  readonly signedIn: string | null;
  readonly interaction: string | null;
  readonly addonName: string | null;
  readonly problem: string | null;
  readonly back: { readonly href: string; readonly destination: string } | null;
};

export const logoutPage = page<LogoutView>(
  (view) => (view.signedIn === null ? 'You are signed out' : 'Sign out?'),
  `<div class="card">
<h1><%= it.title %></h1>
<% if (it.problem) { %><p class="alert" role="alert">The add-on that sent you here made a mistake, so you cannot be sent back to it safely.</p>
<p class="soft small">For the developer: <code><%= it.problem %></code></p><% } %>
<% if (it.signedIn) { %>
<p><% if (it.addonName) { %><strong><bdi><%= it.addonName %></bdi></strong> asks to sign you out. <% } %>You are signed in as <strong><bdi><%= it.signedIn %></bdi></strong>. Add-ons that you allowed keep working.</p>
<% if (it.back) { %><p class="soft small note">You will be sent to <strong><%= it.back.destination %></strong>.</p><% } %>
<form method="post" action="<%= it.base %>/oauth/logout/confirm">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<div class="actions"><button type="submit">Sign out</button> <a class="button plain" href="<%= it.base %>/admin">Stay</a></div>
</form>
<% } else { %>
<p>Add-ons that you allowed keep working.</p>
<div class="actions"><% if (it.back) { %><a class="button" href="<%= it.back.href %>">Continue to <%= it.back.destination %></a><% } %> <a class="button plain" href="<%= it.base %>/sign-in">Sign in</a></div>
<% } %>
</div>
`,
);
