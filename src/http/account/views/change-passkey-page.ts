import type { PasskeyRow } from './passkeys-section.ts';
import { compilePage } from '../../pages/render.ts';

type View = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly passkey: Pick<PasskeyRow, 'passkeyId' | 'name'>;
};

export type RenamePasskeyView = View & {
  /** As typed by the user. */
  readonly name: string;
  readonly problem: string | null;
};

const renderRename = compilePage<RenamePasskeyView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Rename the passkey <bdi><%= it.passkey.name %></bdi></h1>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem %></p><% } %>
<form method="post" action="<%= it.base %>/account/passkeys/<%= it.passkey.passkeyId %>/rename">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="name">Name</label>
<input type="text" id="name" name="name" value="<%= it.name %>" maxlength="100" autocomplete="off" required<% if (it.problem) { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>>
<div class="actions"><button type="submit">Rename</button> <a class="button plain" href="<%= it.base %>/account">Cancel</a></div>
</form>
</div>
`);

export const renamePasskeyPage = (view: RenamePasskeyView): string =>
  renderRename({ ...view, title: `${view.problem === null ? '' : 'Error: '}Rename a passkey` });

const renderRemove = compilePage<View & { title: string }>(`<% layout('@layout') %>
<div class="card">
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
`);

export const removePasskeyPage = (view: View): string =>
  renderRemove({ ...view, title: `Remove the passkey ${view.passkey.name}?` });
