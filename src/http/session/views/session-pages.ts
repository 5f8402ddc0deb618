import { passkeyForm, troubleLine, type PasskeyFormView } from '../../account/views/passkey-form.ts';
import { page } from '../../pages/render.ts';

export type SignInView = {
  readonly base: string;
  /** The signed interaction; it also proves that the form is ours and belongs to this browser. */
  readonly interaction: string;
  /** Whether there is a form for an e-mail address and a password. */
  readonly local: boolean;
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** Whether to offer a sign-in with a passkey, which has a page of its own: this one has no script. */
  readonly passkeys: boolean;
  readonly addonName: string | null;
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
  (view) => (view.failed ? 'Error: Sign in' : 'Sign in'),
  `<div class="card">
<h1>Sign in</h1>
<% if (it.addonName) { %><p class="soft">to continue to <strong><bdi><%= it.addonName %></bdi></strong></p><% } %>
<% if (it.again) { %><p class="notice">Before you change how you sign in, sign in once more.</p><% } %>
<% if (it.notSignedInAs) { %><p class="notice">You are signed in as <strong><bdi><%= it.notSignedInAs %></bdi></strong>, but <bdi><%= it.addonName %></bdi> asks for another account.</p><% } %>
<% if (it.failed) { %><p class="alert" role="alert" id="failed"><% if (it.wait) { %>Too many attempts to sign in. Try again in <%= it.wait %> <%= it.wait === 1 ? 'second' : 'seconds' %>.<% } else { %>Wrong e-mail address or password.<% } %></p><% } %>
<% if (it.local) { %><form method="post" action="<%= it.base %>/sign-in">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<label class="field" for="email">E-mail address</label>
<input type="email" id="email" name="email" value="<%= it.email %>" autocomplete="username" maxlength="254" required<% if (it.failed) { %> aria-invalid="true" aria-describedby="failed"<% } %><%= it.failed && it.email === '' ? ' autofocus' : '' %>>
<label class="field" for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" maxlength="1024" required<% if (it.failed) { %> aria-invalid="true" aria-describedby="failed"<% } %><%= it.failed && it.email !== '' ? ' autofocus' : '' %>>
<div class="actions"><button type="submit">Sign in</button></div>
</form>
<% } %><% if (it.passkeys) { %><p class="note"><a class="button plain" href="<%= it.base %>/sign-in/passkey?interaction=<%= it.interaction %>">Sign in with a passkey</a></p>
<% } %><% for (const provider of it.providers) { %><form class="note" method="post" action="<%= it.base %>/sign-in/with/<%= provider.id %>">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<button type="submit"<% if (it.local) { %> class="plain"<% } %>>Sign in with <%= provider.name %></button>
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
  'Sign in with a passkey',
  `<div class="card">
<h1>Sign in with a passkey</h1>
<% if (it.addonName) { %><p class="soft">to continue to <strong><bdi><%= it.addonName %></bdi></strong></p><% } %>
${troubleLine}
<p>Your browser asks for the passkey, and your device for your fingerprint, face or PIN.</p>
${passkeyForm('use', '/sign-in/passkey')}
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<div class="actions"><button type="submit" disabled>Use a passkey</button> <a class="button plain" href="<%= it.base %><%= it.back %>">Use a password</a></div>
</form>
</div>
`,
);

type SignOutView = { readonly base: string; readonly csrf: string; readonly signedIn: string };

export const signOutPage = page<SignOutView>(
  'Sign out',
  `<div class="card">
<h1>Sign out</h1>
<p>You are signed in as <strong><bdi><%= it.signedIn %></bdi></strong>. Add-ons that you allowed keep working.</p>
<form method="post" action="<%= it.base %>/sign-out">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit">Sign out</button> <a class="button plain" href="<%= it.base %>/admin">Stay</a></div>
</form>
</div>
`,
);
