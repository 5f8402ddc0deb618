import type { AllowedAddon } from '../../../projections/read-models.ts';
import { dayOf } from '../../pages/day-of.ts';
import { passkeysSection, type PasskeysView } from './passkeys-section.ts';
import { plainWords } from '../../pages/plain-words.ts';
import { words } from '../../pages/words.ts';
import { compilePage } from '../../pages/render.ts';
import { sessionsSection, type SessionRow } from './sessions-section.ts';
import { tokensSection, type TokenRow } from './tokens-section.ts';

export type AccountView = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly email: string;
  readonly addons: readonly AllowedAddon[];
  /** Name of the add-on whose access was just withdrawn. */
  readonly withdrawn: string | null;
  /** Whether a token was just revoked. */
  readonly revoked: boolean;
  /** Whether another session, or all others, were just ended. */
  readonly ended: 'one' | 'others' | null;
  readonly sessions: { readonly live: readonly SessionRow[]; readonly latest: readonly SessionRow[] };
  /** When the password was last set, RFC 3339 UTC; null where there is none. */
  readonly passwordSetAt: string | null;
  /** Whether it was just changed. */
  readonly passwordChanged: boolean;
  /** Null for users who have none, and cannot have any. */
  readonly passkeys: PasskeysView | null;
  /** Whether one was just added, or removed. */
  readonly passkeyAdded: boolean;
  readonly passkeyRemoved: boolean;
  /** Why the last action was not done. */
  readonly problem: string | null;
  readonly tokens: readonly TokenRow[];
  readonly administers: boolean;
  /** Whether to link to the audit logs. */
  readonly audits: boolean;
  /** Whether to link to the operators' page. */
  readonly operates: boolean;
};

type Inside = {
  title: string;
  words: typeof plainWords;
  dayOf: typeof dayOf;
  momentOf: typeof words.momentOf;
};

const render = compilePage<AccountView & Inside>(`<% layout('@layout') %>
<h1>Your account</h1>
<% if (it.problem) { %><p class="alert" role="alert"><%= it.problem %></p><% } %>
<% if (it.withdrawn) { %><p class="notice" role="status">Withdrawn: <strong><bdi><%= it.withdrawn %></bdi></strong> can no longer see your own records.</p><% } %>
<% if (it.revoked) { %><p class="notice" role="status">Revoked: the token is no longer valid.</p><% } %>
<% if (it.passwordChanged) { %><p class="notice" role="status">Changed: all other sessions and your administrator tokens ended.</p><% } %>
<% if (it.passkeyAdded) { %><p class="notice" role="status">Added: you can sign in with the passkey now.</p><% } %>
<% if (it.passkeyRemoved) { %><p class="notice" role="status">Removed: the passkey no longer signs you in.</p><% } %>
<% if (it.ended) { %><p class="notice" role="status">Ended: <%= it.ended === 'one' ? 'that session is signed out.' : 'all other sessions are signed out.' %></p><% } %>
<section class="card" aria-labelledby="you">
<h2 id="you">Signed in as</h2>
<div class="row">
<div><strong><bdi><%= it.signedIn %></bdi></strong> <span class="soft"><bdi><%= it.email %></bdi></span></div>
<form method="post" action="<%= it.base %>/sign-out">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<input type="hidden" name="return_to" value="/account">
<button type="submit" class="link">Not you?</button>
</form>
</div>
<% if (it.passwordSetAt) { %><div class="row">
<div><strong>Password</strong> <span class="soft small">Last changed <time datetime="<%= it.passwordSetAt %>"><%= it.momentOf(it.passwordSetAt) %></time></span></div>
<a class="button plain" href="<%= it.base %>/account/password">Change password</a>
</div><% } %>
</section>
${passkeysSection}
<section class="card" aria-labelledby="addons">
<h2 id="addons">Add-ons that may see your own records</h2>
<% if (it.addons.length === 0) { %><p class="soft">None. When you allow an add-on to see your own records, you can withdraw the access here.</p><% } else { %>
<ul class="rows">
<% it.addons.forEach((addon) => { %>
<li class="row">
<div>
<div><strong><bdi><%= addon.name %></bdi></strong><% if (addon.suspended) { %> <span class="tag stop">Suspended</span><% } %><% if (addon.retired) { %> <span class="tag stop">Retired</span><% } %></div>
<div class="small"><% if (addon.scopes.length === 0) { %>No access to records<% } else { %>Sees <%= addon.scopes.map((scope) => it.words[scope].short).join(', ') %><% } %></div>
<div class="soft small">Allowed since <time datetime="<%= addon.allowedAt %>"><%= it.dayOf(addon.allowedAt) %></time><br><% if (addon.renewedAt) { %>Access last renewed <time datetime="<%= addon.renewedAt %>"><%= it.dayOf(addon.renewedAt) %></time><% } else if (addon.firstTokenAt) { %>First used <time datetime="<%= addon.firstTokenAt %>"><%= it.dayOf(addon.firstTokenAt) %></time>, not renewed since<% } else { %>Never used<% } %></div>
</div>
<a class="button danger" href="<%= it.base %>/account/addons/<%= addon.addonId %>/withdraw">Withdraw<span class="hidden"> the access of <bdi><%= addon.name %></bdi></span></a>
</li>
<% }) %>
</ul>
<% } %>
</section>
${tokensSection}
${sessionsSection}
<p class="soft small">Only your own records are listed here. What an add-on may see of an organization is decided by its administrators<% if (it.administers) { %>: see <a href="<%= it.base %>/admin">your organizations</a><% } %>.<% if (it.audits) { %> You may read <a href="<%= it.base %>/audit">audit logs</a>.<% } %><% if (it.operates) { %> You may see the <a href="<%= it.base %>/operator">service status</a>.<% } %></p>
`);

export const accountPage = (view: AccountView): string =>
  render({
    ...view,
    title: `${view.problem ? 'Error: ' : view.withdrawn ? 'Withdrawn: ' : view.revoked ? 'Revoked: ' : view.ended ? 'Ended: ' : view.passwordChanged ? 'Changed: ' : view.passkeyAdded ? 'Added: ' : view.passkeyRemoved ? 'Removed: ' : ''}Your account`,
    words: plainWords,
    dayOf,
    momentOf: words.momentOf,
  });
