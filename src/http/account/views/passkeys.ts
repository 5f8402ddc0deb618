import { page, type FormView } from '../../pages/render.ts';
import { passkeyForm, troubleLine, type PasskeyFormView } from './passkey-form.ts';

export type PasskeyRow = {
  readonly passkeyId: string;
  readonly name: string;
  readonly synced: boolean;
  /** RFC 3339 UTC. */
  readonly addedAt: string;
  /** Null: never. */
  readonly lastUsedAt: string | null;
};

/** `whyNot`: why none can be added, as a sentence; null where one can. */
export type PasskeysView = { readonly rows: readonly PasskeyRow[]; readonly whyNot: string | null };

/** Section of the account page (`AccountView`); none for users who sign in without a password. */
export const passkeysSection = `<% if (it.passkeys) { %>
<section class="card" aria-labelledby="passkeys">
<h2 id="passkeys">Passkeys</h2>
<% if (it.passkeys.rows.length === 0) { %><p class="soft">None. A passkey signs you in with the fingerprint, face or PIN of a device.</p><% } else { %>
<ul class="rows">
<% it.passkeys.rows.forEach((passkey) => { %>
<li class="row">
<div>
<div><strong><bdi><%= passkey.name %></bdi></strong></div>
<div class="soft small">Added <time datetime="<%= passkey.addedAt %>"><%= it.dayOf(passkey.addedAt) %></time><br><% if (passkey.lastUsedAt) { %>Last used <time datetime="<%= passkey.lastUsedAt %>"><%= it.words.momentOf(passkey.lastUsedAt) %></time><% } else { %>Never used<% } %><% if (passkey.synced) { %><br>May be on several devices<% } %></div>
</div>
<div><a class="button plain" href="<%= it.base %>/account/passkeys/<%= passkey.passkeyId %>/rename">Rename<span class="hidden"> the passkey <bdi><%= passkey.name %></bdi></span></a> <a class="button danger" href="<%= it.base %>/account/passkeys/<%= passkey.passkeyId %>/remove">Remove<span class="hidden"> the passkey <bdi><%= passkey.name %></bdi></span></a></div>
</li>
<% }) %>
</ul>
<% } %>
<% if (it.passkeys.whyNot) { %><p class="soft small"><%= it.passkeys.whyNot %></p><% } else { %><div class="actions"><a class="button plain" href="<%= it.base %>/account/passkeys/new">Add passkey</a></div><% } %>
</section>
<% } %>`;

type View = FormView & {
  readonly passkey: Pick<PasskeyRow, 'passkeyId' | 'name'>;
};

type RenamePasskeyView = View & {
  /** As typed by the user. */
  readonly name: string;
  readonly problem: string | null;
};

export const renamePasskeyPage = page<RenamePasskeyView>(
  'Rename a passkey',
  `<div class="card">
<h1>Rename the passkey <bdi><%= it.passkey.name %></bdi></h1>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem %></p><% } %>
<form method="post" action="<%= it.base %>/account/passkeys/<%= it.passkey.passkeyId %>/rename">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="name">Name</label>
<input type="text" id="name" name="name" value="<%= it.name %>" maxlength="100" autocomplete="off" required<% if (it.problem) { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>>
<div class="actions"><button type="submit">Rename</button> <a class="button plain" href="<%= it.base %>/account">Cancel</a></div>
</form>
</div>
`,
);

export const removePasskeyPage = page<View>(
  (view) => `Remove the passkey ${view.passkey.name}?`,
  `<div class="card">
<h1>Remove the passkey <bdi><%= it.passkey.name %></bdi>?</h1>
<ul>
<li>It no longer signs you in. Other sessions that began with it end.</li>
<li>Your device may still offer it: delete it there, too.</li>
</ul>
<form method="post" action="<%= it.base %>/account/passkeys/<%= it.passkey.passkeyId %>/remove">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Remove</button> <a class="button plain" href="<%= it.base %>/account">Keep it</a></div>
</form>
</div>
`,
);

type AddPasskeyView = PasskeyFormView & {
  readonly csrf: string;
  readonly signedIn: string;
  readonly name: string;
  /** Whether the name is what is wrong. */
  readonly nameIsWrong: boolean;
};

export const addPasskeyPage = page<AddPasskeyView>(
  'Add a passkey',
  `<div class="card">
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
`,
);
