import { loadPartial } from '../../../pages/render.ts';

/** The partial `@who-decides`, of a page that asks a user: who is signed in, and the way to another user. */
loadPartial(
  'who-decides',
  `<div class="whoami">
<p class="small"><%~ it.stress(it.t.approve.signedInAs(it.mark(it.signedIn))) %> <span class="soft">(<bdi><%= it.email %></bdi>)</span></p>
<% if (it.mayBeAnother) { %><form method="post" action="<%= it.base %>/oauth/authorize/another-user">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<button type="submit" class="link"><%= it.t.frame.notYou %></button>
</form><% } %>
</div>
`,
);
