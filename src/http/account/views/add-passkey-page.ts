import { passkeyForm, troubleLine, type PasskeyFormView } from './passkey-form.ts';
import { compilePage } from '../../pages/render.ts';

export type AddPasskeyView = PasskeyFormView & {
  readonly csrf: string;
  readonly signedIn: string;
  readonly name: string;
  /** Whether the name is what is wrong. */
  readonly nameIsWrong: boolean;
};

const render = compilePage<AddPasskeyView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Add a passkey</h1>
<p>A passkey signs you in without a password: with the fingerprint, face or PIN of a device, or with a security key. Your password stays valid.</p>
${troubleLine}
${passkeyForm('add', '/account/passkeys/new')}
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="name">Name</label>
<input type="text" id="name" name="name" value="<%= it.name %>" maxlength="100" autocomplete="off" required<% if (it.nameIsWrong) { %> aria-invalid="true" aria-describedby="trouble" autofocus<% } %>>
<p class="soft small">So that you recognize it, for example the name of the device.</p>
<div class="actions"><button type="submit" disabled>Add passkey</button> <a class="button plain" href="<%= it.base %>/account">Cancel</a></div>
</form>
</div>
`);

export const addPasskeyPage = (view: AddPasskeyView): string =>
  render({ ...view, title: `${view.problem === null ? '' : 'Error: '}Add a passkey` });
