import { page, type FormView } from '../../pages/render.ts';

/** The field to correct, and what is wrong with it. */
export type PasswordProblem = {
  readonly field: 'present' | 'password' | 'again';
  readonly message: string;
};

export type ChangePasswordView = FormView & {
  readonly email: string;
  /** When the password was last set, RFC 3339 UTC; null where there is none. */
  readonly setAt: string | null;
  readonly problem: PasswordProblem | null;
};

/** The field to correct gets the focus and names the error. */
export const ifWrong = (field: PasswordProblem['field']) =>
  `<% if (it.problem && it.problem.field === '${field}') { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>`;

/** The two fields for a new password; `it.problem` is a `PasswordProblem` or null. */
export const newPasswordFields = `<label class="field" for="password">New password</label>
<input type="password" id="password" name="password" autocomplete="new-password" minlength="8" maxlength="1024" required${ifWrong('password')}>
<p class="soft small">8 to 256 characters.</p>
<label class="field" for="again">New password, once more</label>
<input type="password" id="again" name="again" autocomplete="new-password" maxlength="1024" required${ifWrong('again')}>`;

export const changePasswordPage = page<ChangePasswordView>(
  'Change your password',
  `<div class="card">
<h1>Change your password</h1>
<p class="soft"><% if (it.setAt) { %>Last changed <time datetime="<%= it.setAt %>"><%= it.words.momentOf(it.setAt) %></time>. <% } %>All your other sessions and your administrator tokens end; this session stays.</p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem.message %></p><% } %>
<form method="post" action="<%= it.base %>/account/password">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<input type="text" name="username" value="<%= it.email %>" autocomplete="username" aria-label="E-mail address" readonly hidden>
<label class="field" for="present">Present password</label>
<input type="password" id="present" name="present" autocomplete="current-password" maxlength="1024" required${ifWrong('present')}>
${newPasswordFields}
<div class="actions"><button type="submit">Change password</button> <a class="button plain" href="<%= it.base %>/account">Cancel</a></div>
</form>
</div>
`,
);

type ChoosePasswordView = {
  readonly base: string;
  readonly link: string;
  readonly email: string;
  /** Names of the providers with which the account is signed in to, too. */
  readonly providers: readonly string[];
  readonly problem: PasswordProblem | null;
};

export const choosePasswordPage = page<ChoosePasswordView>(
  'Choose a password',
  `<div class="card">
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
`,
);
