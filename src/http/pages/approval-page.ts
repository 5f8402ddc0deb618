import type { Scope } from '../../domain/scope.ts';
import { compilePage } from './render.ts';

export type ApprovalView = {
  readonly base: string;
  readonly interaction: string;
  readonly addonName: string;
  /** Host (or scheme) that the browser is sent to afterwards. */
  readonly destination: string;
  readonly signedIn: string;
  readonly scopes: readonly { readonly scope: Scope; readonly isNew: boolean }[];
  readonly subjects: readonly {
    readonly key: string;
    readonly name: string;
    readonly kind: 'organization' | 'user';
    readonly allowedBefore: readonly Scope[];
  }[];
};

/** What a scope opens, in plain words. */
const plainWords: Record<Scope, string> = {
  openid: 'See who you are (your name and e-mail address)',
  'profiles:read': 'See profiles: names and contact details of people',
  'reservations:read': 'See reservations: who booked what, and when',
  'access-rights:read': 'See access rights: who may open what, and when',
};

const render = compilePage<
  ApprovalView & { title: string; words: typeof plainWords }
>(`<% layout('@layout') %>
<div class="card">
<h1>Allow <%= it.addonName %>?</h1>
<% const only = it.subjects.length === 1 ? it.subjects[0] : null; %>
<p><strong><%= it.addonName %></strong> asks for access
<% if (only) { %>to the records of <strong><%= only.name %></strong><%= only.kind === 'user' ? ' (you)' : '' %>.<% } else { %>on behalf of one of the following.<% } %></p>
<form method="post" action="<%= it.base %>/oauth/authorize/decision">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<% if (only) { %><input type="hidden" name="subject" value="<%= only.key %>"><% } else { %>
<fieldset>
<legend>Whose records may it see?</legend>
<% it.subjects.forEach((subject, index) => { %>
<label class="choice"><input type="radio" name="subject" value="<%= subject.key %>" required<%= index === 0 ? ' checked' : '' %>>
<span><%= subject.name %><span class="soft small"><%= subject.kind === 'user' ? 'Only your own records' : 'The whole organization' %><%= subject.allowedBefore.length > 0 ? ' · allowed before' : '' %></span></span></label>
<% }) %>
</fieldset>
<% } %>
<h2>It would be able to</h2>
<% if (it.scopes.length === 0) { %><p class="soft">Nothing yet: it asks for no particular access.</p><% } else { %>
<ul class="scopes">
<% it.scopes.forEach(({ scope, isNew }) => { %><li><span><%= it.words[scope] %></span><% if (isNew) { %><span class="tag">New</span><% } %></li><% }) %>
</ul>
<% } %>
<p class="soft small note">You will be sent to <strong><%= it.destination %></strong>.<% if (it.subjects.some((subject) => subject.kind === 'organization')) { %> An administrator can end what is allowed for an organization at any time.<% } %></p>
<div class="actions">
<button type="submit" name="decision" value="approve">Allow</button>
<button type="submit" name="decision" value="deny" class="plain">Do not allow</button>
</div>
</form>
</div>
`);

export const approvalPage = (view: ApprovalView): string =>
  render({ ...view, title: `Allow ${view.addonName}?`, words: plainWords });
