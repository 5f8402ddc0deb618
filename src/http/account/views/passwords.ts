import { type FormView, type Localized, page } from '../../pages/render.ts';

/** The field to correct, and what is wrong with it. */
export type PasswordProblem = {
  readonly field: 'present' | 'password' | 'again';
  readonly message: string;
};

export type ChangePasswordView = FormView &
  Localized & {
    readonly email: string;
    /** When the password was last set, RFC 3339 UTC; null where there is none. */
    readonly setAt: string | null;
    readonly problem: PasswordProblem | null;
  };

/** The field to correct gets the focus and names the error. */
export const ifWrong = (field: PasswordProblem['field']) =>
  `<% if (it.problem && it.problem.field === '${field}') { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>`;

/** The two fields for a new password; `it.problem` is a `PasswordProblem` or null. */
export const newPasswordFields = `<label class="field" for="password"><%= it.t.passwords.fresh %></label>
<input type="password" id="password" name="password" autocomplete="new-password" minlength="8" maxlength="1024" required${ifWrong('password')}>
<p class="soft small"><%= it.t.passwords.length %></p>
<label class="field" for="again"><%= it.t.passwords.again %></label>
<input type="password" id="again" name="again" autocomplete="new-password" maxlength="1024" required${ifWrong('again')}>`;

export const changePasswordPage = page<ChangePasswordView>(
  ({ reader: { words } }) => words.passwords.changeTitle,
  `<div class="card">
<h1><%= it.title %></h1>
<p class="soft"><% if (it.setAt) { %><%= it.t.account.lastChanged %> <%~ it.timeOf(it.setAt) %>. <% } %><%= it.t.passwords.changeEffect %></p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem.message %></p><% } %>
<form method="post" action="<%= it.base %>/account/password">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<input type="text" name="username" value="<%= it.email %>" autocomplete="username" aria-label="<%= it.t.signIn.email %>" readonly hidden>
<label class="field" for="present"><%= it.t.passwords.present %></label>
<input type="password" id="present" name="present" autocomplete="current-password" maxlength="1024" required${ifWrong('present')}>
${newPasswordFields}
<div class="actions"><button type="submit"><%= it.t.passwords.change %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.cancel %></a></div>
</form>
</div>
`,
);

type ChoosePasswordView = Localized & {
  readonly base: string;
  readonly link: string;
  readonly email: string;
  /** Names of the providers with which the account is signed in to, too. */
  readonly providers: readonly string[];
  readonly problem: PasswordProblem | null;
};

export const choosePasswordPage = page<ChoosePasswordView>(
  ({ reader: { words } }) => words.passwords.chooseTitle,
  `<div class="card">
<h1><%= it.title %></h1>
<p class="soft"><%~ it.stress(it.t.passwords.chooseFor(it.mark(it.email))) %></p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem.message %></p><% } %>
<form method="post" action="<%= it.base %>/choose-password">
<input type="hidden" name="link" value="<%= it.link %>">
<input type="text" name="username" value="<%= it.email %>" autocomplete="username" aria-label="<%= it.t.signIn.email %>" readonly hidden>
${newPasswordFields}
<% if (it.providers.length > 0) { %><p><label><input type="checkbox" name="keep_identities" value="yes"> <%~ it.say(it.t.passwords.keepProviders(it.mark(it.providers.join(', ')))) %></label></p>
<p class="soft small"><%= it.t.passwords.keepWhy %></p>
<% } %><div class="actions"><button type="submit"><%= it.t.passwords.save %></button></div>
</form>
</div>
`,
);

type ForgotPasswordView = Localized & {
  readonly base: string;
  /** The signed interaction, as on the sign-in page. */
  readonly interaction: string;
  readonly email: string;
  readonly problem: string | null;
};

export const forgotPasswordPage = page<ForgotPasswordView>(
  ({ reader: { words } }) => words.forgot.title,
  `<div class="card">
<h1><%= it.title %></h1>
<p class="soft"><%= it.t.forgot.how %></p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem %></p><% } %>
<form method="post" action="<%= it.base %>/forgot-password">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<label class="field" for="email"><%= it.t.signIn.email %></label>
<input type="email" id="email" name="email" value="<%= it.email %>" autocomplete="username" maxlength="254" required<% if (it.problem) { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>>
<div class="actions"><button type="submit"><%= it.t.forgot.submit %></button> <a class="button plain" href="<%= it.base %>/sign-in"><%= it.t.forgot.back %></a></div>
</form>
</div>
`,
);
