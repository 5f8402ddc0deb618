import { opensRecords, type Scope } from '../../../../domain/access/scope.ts';
import { page } from '../../../pages/render.ts';
import './who-decides.ts';

export type ApprovalView = {
  readonly base: string;
  readonly interaction: string;
  readonly addonName: string;
  /** From `addonDetails`. */
  readonly details: string;
  /** Host (or scheme) to which the browser is sent afterwards. */
  readonly destination: string;
  readonly signedIn: string;
  readonly email: string;
  /** False when the add-on asks for this very user: another user's answer would not count. */
  readonly mayBeAnother: boolean;
  readonly scopes: readonly Scope[];
  readonly isForOwnApi: boolean;
  /** Other servers for which access is requested, with their registered names (CL-06). */
  readonly resourceServers: readonly { readonly audience: string; readonly name: string | null }[];
  readonly subjects: readonly ApprovalSubject[];
  /** The user's organizations that cannot be chosen, because the add-on is not active for them. */
  readonly notActivated: readonly { readonly organizationId: string; readonly name: string }[];
  readonly canBeActivated: boolean;
};

/** A subject whose records may be shared. */
export type ApprovalSubject = {
  readonly key: string;
  readonly name: string;
  readonly kind: 'organization' | 'user';
  /** This browser has just activated the add-on for it, so it alone is preselected. */
  readonly justActivated: boolean;
  /** Null when nothing was approved before. */
  readonly newScopes: readonly Scope[] | null;
};

export const approvalPage = page<ApprovalView>(
  (view) => `Allow ${view.addonName}?`,
  `<div class="card">
<h1>Allow <bdi><%= it.addonName %></bdi>?</h1>
<% const only = it.subjects.length === 1 ? it.subjects[0] : null; %>
<% const { opensRecords } = it; %>
<p><strong><bdi><%= it.addonName %></bdi></strong> wants <%= opensRecords ? 'to read' : it.scopes.length > 0 ? 'to know who you are.' : 'to be connected.' %>
<% if (!opensRecords) { %><% } else if (!only) { %>records. Choose whose.<% } else if (only.kind === 'user') { %>your own records, those of <strong><bdi><%= only.name %></bdi></strong>.<% } else { %>the records of <strong><bdi><%= only.name %></bdi></strong>, the whole organization.<% } %></p>
<%~ it.details %>
<form method="post" action="<%= it.base %>/oauth/authorize/decision">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<% if (only) { %><input type="hidden" name="subject" value="<%= only.key %>"><% } else { %>
<fieldset>
<legend><%= opensRecords ? 'Whose records may it read?' : 'For whom is it connected?' %></legend>
<% it.subjects.forEach((subject) => { %>
<label class="choice"><input type="radio" name="subject" value="<%= subject.key %>" required<%= subject.justActivated ? ' checked' : '' %>>
<span><bdi><%= subject.name %></bdi>
<span class="soft small"><%= subject.kind === 'user' ? 'Just my records, in all my organizations' : 'The whole organization' %><%= subject.justActivated ? '. You have just activated it here' : '' %></span>
<% if (subject.newScopes && subject.newScopes.length === 0) { %><span class="soft small">You allowed all of this before</span><% } else if (subject.newScopes) { %><span class="small"><span class="tag">New</span> <%= subject.newScopes.map((scope) => it.plainWords[scope].short).join(', ') %></span><% } %></span></label>
<% }) %>
</fieldset>
<% } %>
<% if (it.notActivated.length > 0) { %><p class="soft small note">Not offered: <% it.notActivated.slice(0, 3).forEach(({ name }, index) => { %><% if (index > 0) { %>, <% } %><bdi><%= name %></bdi><% }) %><% if (it.notActivated.length > 3) { %> and <%= it.notActivated.length - 3 %> more<% } %>. <% if (it.canBeActivated) { %>The add-on is not activated there; you can activate it under “Your organizations”.<% } else { %>The add-on has no configuration URL, so it cannot be activated for an organization.<% } %></p><% } %>
<% if (it.scopes.length === 0) { %><p class="soft">It gets no access to records.</p><% } else { %>
<h2>It will be able to</h2>
<ul class="scopes">
<% it.scopes.forEach((scope) => { %><li><span><%= it.plainWords[scope].long %></span><% if (only && only.newScopes && only.newScopes.includes(scope)) { %><span class="tag">New</span><% } %></li><% }) %>
</ul>
<% } %>
<% if (it.resourceServers.length > 0) { %><h2>Where it may use this</h2>
<ul class="scopes">
<% it.resourceServers.forEach(({ name, audience }) => { %><li><span><% if (name) { %><bdi><%= name %></bdi> <% } %><span class="soft small"><bdi><%= audience %></bdi></span></span></li><% }) %>
<% if (it.isForOwnApi) { %><li><span>In this marketplace</span></li><% } %>
</ul>
<% } %>
<% if (it.scopes.length > 0) { %><p class="soft small note">The provider of <bdi><%= it.addonName %></bdi> will see this data. It cannot change anything. Access continues until someone removes it:
<% if (it.subjects.some(({ kind }) => kind === 'organization')) { %> for an organization, by its administrators under “Your organizations”<%= only ? '' : ';' %><% } %><% if (it.subjects.some(({ kind }) => kind === 'user')) { %> for your own records, by you under “Your account”<% } %>.</p><% } %>
<p class="soft small">Next you will be sent to <strong><%= it.destination %></strong>.</p>
<div class="actions">
<button type="submit" name="decision" value="approve">Allow</button>
<button type="submit" name="decision" value="deny" class="plain" formnovalidate>Do not allow</button>
</div>
</form>
<%~ include('@who-decides', it) %>
</div>
`,
  (view) => ({ opensRecords: opensRecords(view.scopes) }),
);
