import { type FormView, type Localized, page } from '../../pages/render.ts';
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
<% const k = it.t.passkeys; %><h2 id="passkeys"><%= k.title %></h2>
<% if (it.passkeys.rows.length === 0) { %><p class="soft"><%= k.none %></p><% } else { %>
<ul class="rows">
<% it.passkeys.rows.forEach((passkey) => { %>
<li class="row">
<div>
<div><strong><bdi><%= passkey.name %></bdi></strong></div>
<div class="soft small"><%= k.added %> <time datetime="<%= passkey.addedAt %>"><%= it.dayOf(passkey.addedAt) %></time><br><% if (passkey.lastUsedAt) { %><%= k.lastUsed %> <%~ it.timeOf(passkey.lastUsedAt) %><% } else { %><%= k.neverUsed %><% } %><% if (passkey.synced) { %><br><%= k.synced %><% } %></div>
</div>
<div><a class="button plain" href="<%= it.base %>/account/passkeys/<%= passkey.passkeyId %>/rename" aria-label="<%= k.renameOf(passkey.name) %>"><%= k.rename %></a> <a class="button danger" href="<%= it.base %>/account/passkeys/<%= passkey.passkeyId %>/remove" aria-label="<%= k.removeOf(passkey.name) %>"><%= k.remove %></a></div>
</li>
<% }) %>
</ul>
<% } %>
<% if (it.passkeys.whyNot) { %><p class="soft small"><%= it.passkeys.whyNot %></p><% } else { %><div class="actions"><a class="button plain" href="<%= it.base %>/account/passkeys/new"><%= k.add %></a></div><% } %>
</section>
<% } %>`;

type View = FormView &
  Localized & {
    readonly passkey: Pick<PasskeyRow, 'passkeyId' | 'name'>;
  };

type RenamePasskeyView = View & {
  /** As typed by the user. */
  readonly name: string;
  readonly problem: string | null;
};

export const renamePasskeyPage = page<RenamePasskeyView>(
  ({ reader: { words } }) => words.passkeys.renameTitle,
  `<div class="card">
<h1><%~ it.say(it.t.passkeys.renameOf(it.mark(it.passkey.name))) %></h1>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem %></p><% } %>
<form method="post" action="<%= it.base %>/account/passkeys/<%= it.passkey.passkeyId %>/rename">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="name"><%= it.t.passkeys.name %></label>
<input type="text" id="name" name="name" value="<%= it.name %>" maxlength="100" autocomplete="off" required<% if (it.problem) { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>>
<div class="actions"><button type="submit"><%= it.t.passkeys.rename %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.cancel %></a></div>
</form>
</div>
`,
);

export const removePasskeyPage = page<View>(
  ({ passkey, reader: { words } }) => words.passkeys.removeTitle(passkey.name),
  `<div class="card">
<h1><%~ it.say(it.t.passkeys.removeTitle(it.mark(it.passkey.name))) %></h1>
<ul><% it.t.passkeys.removeEffects.forEach((effect) => { %>
<li><%= effect %></li><% }) %>
</ul>
<form method="post" action="<%= it.base %>/account/passkeys/<%= it.passkey.passkeyId %>/remove">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure"><%= it.t.passkeys.remove %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.keep %></a></div>
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
  ({ reader: { words } }) => words.passkeys.addTitle,
  `<div class="card">
<h1><%= it.title %></h1>
<p><%= it.t.passkeys.addHow %></p>
${troubleLine}
${passkeyForm('add', '/account/passkeys/new')}
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="name"><%= it.t.passkeys.name %></label>
<input type="text" id="name" name="name" value="<%= it.name %>" maxlength="100" autocomplete="off" required<% if (it.nameIsWrong) { %> aria-invalid="true" aria-describedby="trouble" autofocus<% } %>>
<p class="soft small"><%= it.t.passkeys.nameHow %></p>
<div class="actions"><button type="submit" disabled><%= it.t.passkeys.add %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.cancel %></a></div>
</form>
</div>
`,
);
