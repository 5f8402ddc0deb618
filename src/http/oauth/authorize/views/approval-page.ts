import { isIdentityScope, opensRecords, type Scope } from '../../../../domain/access/scope.ts';
import { markName } from '../../../../domain/kernel/sentence.ts';
import type { BrandView } from '../../../pages/brand-view.ts';
import { type Localized, page } from '../../../pages/render.ts';
import { scopeIcon } from '../../../pages/scope-icons.ts';
import './who-decides.ts';

export type ApprovalView = Localized & {
  readonly brand: BrandView;
  readonly base: string;
  readonly interaction: string;
  readonly addonName: string;
  /** As a `data:` address; null without. */
  readonly addonLogo: string | null;
  readonly publisher: string | null;
  /** RFC 3339 UTC. */
  readonly registeredAt: string;
  readonly website: string | null;
  readonly privacyUrl: string | null;
  readonly supportUrl: string | null;
  /** In seconds: after how long without use, and at the latest, access ends by itself. */
  readonly lasts: { readonly unused: number; readonly most: number };
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
  ({ addonName, reader: { words } }) => words.approve.title(addonName),
  `<div class="card">
<% const a = it.t.approve; const addon = it.mark(it.addonName); %>
<% const only = it.subjects.length === 1 ? it.subjects[0] : null; %>
<p class="parties" aria-hidden="true"><span class="party brand"><%~ it.brand.mark.html %></span><span class="soft">→</span><% if (it.addonLogo) { %><img class="party" src="<%= it.addonLogo %>" alt="" width="56" height="56"><% } else { %><span class="party"><%= Array.from(it.addonName)[0] ?? '' %></span><% } %></p>
<h1><%~ it.say(a.title(addon)) %></h1>
<p class="soft small"><% if (it.publisher) { %><%~ it.stress(a.by(it.mark(it.publisher))) %> · <% } %><%= a.registeredSince(it.dayOf(it.registeredAt)) %></p>
<p><%~ it.stress(it.wants) %></p>
<% if (it.links.length > 0) { %><p class="small links"><% it.links.forEach(([label, href]) => { %><a href="<%= href %>" rel="noreferrer"><%= label %><span class="hidden">: <bdi><%= href %></bdi></span></a> <% }) %></p><% } %>
<form method="post" action="<%= it.base %>/oauth/authorize/decision">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<% if (only) { %><input type="hidden" name="subject" value="<%= only.key %>"><% if (only.newScopes) { %><p class="notice"><%= only.newScopes.length === 0 ? a.allBefore : a.moreThanBefore %></p><% } %><% } else { %>
<fieldset>
<legend><%= it.opensRecords ? a.whose : a.forWhom %></legend>
<% it.subjects.forEach((subject) => { %>
<label class="choice"><input type="radio" name="subject" value="<%= subject.key %>" required<%= subject.justActivated ? ' checked' : '' %>>
<span><bdi><%= subject.name %></bdi>
<span class="soft small"><%= subject.kind === 'user' ? a.justMine : a.wholeOrganization %><% if (subject.justActivated) { %>. <%= a.justActivated %><% } %></span>
<% if (subject.newScopes && subject.newScopes.length === 0) { %><span class="soft small"><%= a.allBefore %></span><% } else if (subject.newScopes) { %><span class="small"><span class="tag"><%= a.isNew %></span> <%= subject.newScopes.map((scope) => it.plainWords[scope].short).join(', ') %></span><% } %></span></label>
<% }) %>
</fieldset>
<% } %>
<% if (it.notActivated.length > 0) { %><p class="soft small note"><%~ it.say(a.notOffered(it.notActivated.slice(0, 3).map(({ name }) => it.mark(name)).join(', '), Math.max(0, it.notActivated.length - 3))) %> <%= it.canBeActivated ? a.activateThere : a.cannotBeActivated %></p><% } %>
<% if (it.scopes.length === 0) { %><p class="soft"><%= a.noAccess %></p><% } else { %>
<h2><%= a.able %></h2>
<% it.groups.forEach(({ title, scopes }) => { %><% if (it.groups.length > 1) { %><h3 class="soft small"><%= title %></h3>
<% } %><ul class="scopes">
<% scopes.forEach((scope) => { const say = it.plainWords[scope]; %><li><%~ it.scopeIcon(scope) %><span><%= only && only.kind === 'user' ? say.own : say.long %><% if (say.example) { %><span class="soft small example"><%= a.forExample(say.example) %></span><% } %></span><% if (only && only.newScopes && only.newScopes.includes(scope)) { %><span class="tag"><%= a.isNew %></span><% } %></li><% }) %>
</ul>
<% }) %><% } %>
<% if (it.resourceServers.length > 0) { %><h2><%= a.where %></h2>
<ul class="scopes">
<% it.resourceServers.forEach(({ name, audience }) => { %><li><span><% if (name) { %><bdi><%= name %></bdi> <% } %><span class="soft small"><bdi><%= audience %></bdi></span></span></li><% }) %>
<% if (it.isForOwnApi) { %><li><span><%= a.here %></span></li><% } %>
</ul>
<% } %>
<% if (it.scopes.length > 0) { %>
<h2><%= a.never %></h2>
<ul class="never small"><% a.neverList.forEach((line) => { %><li><%= line %></li><% }) %></ul>
<h2><%= a.howLong %></h2>
<p class="small"><%= it.lasting %><% if (it.subjects.some(({ kind }) => kind === 'user')) { %> <%= a.endedByYou %><% } %><% if (it.subjects.some(({ kind }) => kind === 'organization')) { %> <%= a.endedByAdministrators %><% } %></p>
<p class="small"><%~ it.say(a.provider(addon)) %></p>
<% } %>
<p class="soft small"><%~ it.stress(a.next(it.mark(it.destination))) %></p>
<div class="actions">
<button type="submit" name="decision" value="approve"><%= a.allow %></button>
<button type="submit" name="decision" value="deny" class="plain" formnovalidate><%= a.deny %></button>
</div>
</form>
<%~ include('@who-decides', it) %>
</div>
`,
  (view) => ({
    opensRecords: opensRecords(view.scopes),
    wants: wantsOf(view),
    scopeIcon,
    groups: groupsOf(view),
    links: linksOf(view),
    lasting: lastingOf(view),
  }),
);

const wantsOf = ({ scopes, subjects, addonName, reader }: ApprovalView): string => {
  const { approve } = reader.words;
  const addon = markName(addonName);
  if (scopes.length === 0) return approve.wantsNothing(addon);
  if (!opensRecords(scopes)) return approve.wantsIdentity(addon);
  const [first, second] = subjects;
  if (!first || second) return approve.wantsRecords(addon);
  const name = markName(first.name);
  return first.kind === 'user' ? approve.wantsOwn(addon, name) : approve.wantsOrganization(addon, name);
};

const groupsOf = ({ scopes, reader: { words } }: ApprovalView) =>
  [
    { title: words.approve.whoYouAre, scopes: scopes.filter(isIdentityScope) },
    { title: words.approve.records, scopes: scopes.filter((scope) => !isIdentityScope(scope)) },
  ].filter((group) => group.scopes.length > 0);

const linksOf = ({ website, privacyUrl, supportUrl, reader: { words } }: ApprovalView) =>
  [
    [words.approve.website, website],
    [words.approve.privacy, privacyUrl],
    [words.approve.support, supportUrl],
  ].filter(([, href]) => href !== null);

const lastingOf = ({ lasts: { unused, most }, reader }: ApprovalView): string => {
  const { approve } = reader.words;
  return unused < most
    ? approve.unlessUsed(reader.duration(unused), reader.duration(most))
    : approve.atMost(reader.duration(most));
};
