import { passkeyForm, troubleLine, type PasskeyFormView } from '../../account/views/passkey-form.ts';
import { compilePage } from '../../pages/render.ts';

export type PasskeySignInView = PasskeyFormView & {
  /** The signed interaction. */
  readonly interaction: string;
  /** Name of the add-on that is waiting; null for a plain sign-in. */
  readonly addonName: string | null;
  /** Where to sign in with a password instead: a path under `base`. */
  readonly back: string;
};

const render = compilePage<PasskeySignInView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Sign in with a passkey</h1>
<% if (it.addonName) { %><p class="soft">to continue to <strong><bdi><%= it.addonName %></bdi></strong></p><% } %>
${troubleLine}
<p>Your browser asks for the passkey, and your device for your fingerprint, face or PIN.</p>
${passkeyForm('use', '/sign-in/passkey')}
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<div class="actions"><button type="submit" disabled>Use a passkey</button> <a class="button plain" href="<%= it.base %><%= it.back %>">Use a password</a></div>
</form>
</div>
`);

export const passkeySignInPage = (view: PasskeySignInView): string =>
  render({ ...view, title: `${view.problem === null ? '' : 'Error: '}Sign in with a passkey` });
