import { newPasswordFields, type PasswordProblem } from './change-password-page.ts';
import { compilePage } from '../../pages/render.ts';

export type ChoosePasswordView = {
  readonly base: string;
  /** The token of the link. */
  readonly link: string;
  /** Whose password it is. */
  readonly email: string;
  /** Names of the providers with which the account is signed in to, too. */
  readonly providers: readonly string[];
  readonly problem: PasswordProblem | null;
};

const render = compilePage<ChoosePasswordView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Choose a password</h1>
<p class="soft">For <strong><bdi><%= it.email %></bdi></strong>. Sessions and administrator tokens from before end.</p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem.message %></p><% } %>
<form method="post" action="<%= it.base %>/choose-password">
<input type="hidden" name="link" value="<%= it.link %>">
<input type="text" name="username" value="<%= it.email %>" autocomplete="username" aria-label="E-mail address" readonly hidden>
${newPasswordFields}
<% if (it.providers.length > 0) { %><p><label><input type="checkbox" name="keep_identities" value="yes"> Keep signing in with <bdi><%= it.providers.join(', ') %></bdi></label></p>
<p class="soft small">Tick this only if you sign in that way yourself. Otherwise that sign-in no longer opens the account.</p>
<% } %><div class="actions"><button type="submit">Save password</button></div>
</form>
</div>
`);

/** The title begins with an error, because screen readers read the title first. */
export const choosePasswordPage = (view: ChoosePasswordView): string =>
  render({ ...view, title: `${view.problem ? 'Error: ' : ''}Choose a password` });
