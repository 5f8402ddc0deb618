import { compilePage } from '../../pages/render.ts';
import { words } from '../../pages/words.ts';

/** The field to correct, and what is wrong with it. */
export type PasswordProblem = {
  readonly field: 'present' | 'password' | 'again';
  readonly message: string;
};

export type ChangePasswordView = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
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

const render = compilePage<ChangePasswordView & { title: string; momentOf: typeof words.momentOf }>(
  `<% layout('@layout') %>
<div class="card">
<h1>Change your password</h1>
<p class="soft"><% if (it.setAt) { %>Last changed <time datetime="<%= it.setAt %>"><%= it.momentOf(it.setAt) %></time>. <% } %>All your other sessions and your administrator tokens end; this session stays.</p>
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

/** The title begins with an error, because screen readers read the title first. */
export const changePasswordPage = (view: ChangePasswordView): string =>
  render({
    ...view,
    title: `${view.problem ? 'Error: ' : ''}Change your password`,
    momentOf: words.momentOf,
  });
