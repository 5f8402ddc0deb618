import { type Localized, page } from '../../../pages/render.ts';

export type LogoutView = Localized & {
  readonly base: string;
  /** Null if no user is signed in: then there is nothing to confirm. */
  readonly signedIn: string | null;
  readonly interaction: string | null;
  readonly addonName: string | null;
  readonly problem: string | null;
  readonly back: { readonly href: string; readonly destination: string } | null;
};

export const logoutPage = page<LogoutView>(
  ({ signedIn, reader: { words } }) => (signedIn === null ? words.signOut.done : words.signOut.question),
  `<div class="card">
<h1><%= it.title %></h1>
<% if (it.problem) { %><p class="alert" role="alert"><%= it.t.signOut.mistake %></p>
<p class="soft small"><%= it.t.frame.forDeveloper %> <code><%= it.problem %></code></p><% } %>
<% if (it.signedIn) { %>
<p><% if (it.addonName) { %><%~ it.stress(it.t.signOut.askedBy(it.mark(it.addonName))) %> <% } %><%~ it.stress(it.t.frame.signedInAs(it.mark(it.signedIn))) %> <%= it.t.frame.addonsKeepWorking %></p>
<% if (it.back) { %><p class="soft small note"><%~ it.stress(it.t.signOut.sentTo(it.mark(it.back.destination))) %></p><% } %>
<form method="post" action="<%= it.base %>/oauth/logout/confirm">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<div class="actions"><button type="submit"><%= it.t.frame.signOut %></button> <a class="button plain" href="<%= it.base %>/admin"><%= it.t.frame.stay %></a></div>
</form>
<% } else { %>
<p><%= it.t.frame.addonsKeepWorking %></p>
<div class="actions"><% if (it.back) { %><a class="button" href="<%= it.back.href %>"><%= it.t.frame.continueTo(it.back.destination) %></a><% } %> <a class="button plain" href="<%= it.base %>/sign-in"><%= it.t.frame.signIn %></a></div>
<% } %>
</div>
`,
);
