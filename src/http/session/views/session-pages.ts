import { passkeyForm, troubleLine, type PasskeyFormView } from '../../account/views/passkey-form.ts';
import { type Localized, page } from '../../pages/render.ts';

export type SignInView = Localized & {
  readonly base: string;
  /** The signed interaction; it also proves that the form is ours and belongs to this browser. */
  readonly interaction: string;
  /** Whether there is a form for an e-mail address and a password. */
  readonly local: boolean;
  readonly providers: readonly { readonly id: string; readonly name: string; readonly logo?: string }[];
  /** Whether to offer a sign-in with a passkey, which has a page of its own: this one has no script. */
  readonly passkeys: boolean;
  readonly addonName: string | null;
  /** Of the add-on, as a `data:` address; null without. */
  readonly addonLogo?: string | null;
  readonly email: string;
  readonly failed: boolean;
  /** The user is signed in, and has to confirm it before a change of the account. */
  readonly again?: boolean;
  /** Seconds to wait after too many attempts; the password of this attempt was not checked. */
  readonly wait?: number;
  /** The signed-in user, when the add-on asks for another one (`id_token_hint`). */
  readonly notSignedInAs: string | null;
};

export const signInPage = page<SignInView>(
  ({ failed, reader: { words } }) => (failed ? words.signIn.failed : words.signIn.title),
  `<div class="card">
<% if (it.addonLogo) { %><p><img class="logo" src="<%= it.addonLogo %>" alt="" width="48" height="48"></p><% } %>
<h1><%= it.t.signIn.title %></h1>
<% if (it.addonName) { %><p class="soft"><%~ it.stress(it.t.signIn.toContinueTo(it.mark(it.addonName))) %></p><% } %>
<% if (it.again) { %><p class="notice"><%= it.t.signIn.again %></p><% } %>
<% if (it.notSignedInAs) { %><p class="notice"><%~ it.stress(it.t.signIn.anotherAccount(it.mark(it.notSignedInAs), it.mark(it.addonName ?? ''))) %></p><% } %>
<% if (it.failed) { %><p class="alert" role="alert" id="failed"><%= it.wait ? it.t.signIn.tooMany(it.wait) : it.t.signIn.wrong %></p><% } %>
<% if (it.local) { %><form method="post" action="<%= it.base %>/sign-in">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<label class="field" for="email"><%= it.t.signIn.email %></label>
<input type="email" id="email" name="email" value="<%= it.email %>" autocomplete="username" maxlength="254" required<% if (it.failed) { %> aria-invalid="true" aria-describedby="failed"<% } %><%= it.failed && it.email === '' ? ' autofocus' : '' %>>
<label class="field" for="password"><%= it.t.signIn.password %></label>
<input type="password" id="password" name="password" autocomplete="current-password" maxlength="1024" required<% if (it.failed) { %> aria-invalid="true" aria-describedby="failed"<% } %><%= it.failed && it.email !== '' ? ' autofocus' : '' %>>
<div class="actions"><button type="submit"><%= it.t.signIn.submit %></button> <a href="<%= it.base %>/forgot-password"><%= it.t.signIn.forgot %></a></div>
</form>
<% } %><% if (it.passkeys) { %><p class="note"><a class="button plain" href="<%= it.base %>/sign-in/passkey?interaction=<%= it.interaction %>"><%= it.t.signIn.withPasskey %></a></p>
<% } %><% for (const provider of it.providers) { %><form class="note" method="post" action="<%= it.base %>/sign-in/with/<%= provider.id %>">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<button type="submit"<% if (it.local) { %> class="plain"<% } %>><% if (provider.logo) { %><img class="mark" src="<%= provider.logo %>" alt="" width="20" height="20"> <% } %><%= it.t.signIn.withProvider(provider.name) %></button>
</form>
<% } %></div>
`,
);

type PasskeySignInView = PasskeyFormView & {
  readonly interaction: string;
  readonly addonName: string | null;
  /** Where to sign in with a password instead: a path under `base`. */
  readonly back: string;
};

export const passkeySignInPage = page<PasskeySignInView>(
  ({ reader: { words } }) => words.signIn.passkeyTitle,
  `<div class="card">
<h1><%= it.title %></h1>
<% if (it.addonName) { %><p class="soft"><%~ it.stress(it.t.signIn.toContinueTo(it.mark(it.addonName))) %></p><% } %>
${troubleLine}
<p><%= it.t.signIn.passkeyHow %></p>
${passkeyForm('use', '/sign-in/passkey')}
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<div class="actions"><button type="submit" disabled><%= it.t.signIn.usePasskey %></button> <a class="button plain" href="<%= it.base %><%= it.back %>"><%= it.t.signIn.usePassword %></a></div>
</form>
</div>
`,
);

type SignOutView = Localized & { readonly base: string; readonly csrf: string; readonly signedIn: string };

export const signOutPage = page<SignOutView>(
  ({ reader: { words } }) => words.signOut.title,
  `<div class="card">
<h1><%= it.title %></h1>
<p><%~ it.stress(it.t.frame.signedInAs(it.mark(it.signedIn))) %> <%= it.t.frame.addonsKeepWorking %></p>
<form method="post" action="<%= it.base %>/sign-out">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit"><%= it.t.frame.signOut %></button> <a class="button plain" href="<%= it.base %>/admin"><%= it.t.frame.stay %></a></div>
</form>
</div>
`,
);
