import type { AllowedAddon } from '../../../projections/read-models.ts';
import { page, type FormView } from '../../pages/render.ts';
import { passkeysSection, type PasskeysView } from './passkeys.ts';
import { tokensSection, type TokenRow } from './tokens.ts';

/** The `problem` parameter after a form was sent with an expired session. */
export const sessionEnded = 'session-ended';

export const sessionEndedWords =
  'Nothing was changed: your session had ended when you sent the form. Do it again.';

export type SessionRow = {
  readonly sessionId: string;
  /** Null where it is not known. */
  readonly device: string | null;
  readonly network: string | null;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly lastSeenAt: string;
  readonly isThis: boolean;
  readonly live: boolean;
};

const origin = `<strong><%= row.device ?? 'Unknown device' %></strong><% if (row.network) { %> <span class="soft"><bdi><%= row.network %></bdi></span><% } %>`;
const moment = (field: keyof SessionRow) =>
  `<time datetime="<%= row.${field} %>"><%= it.words.momentOf(row.${field}) %></time>`;

/** Section of the account page (`AccountView`): where the user is signed in, and the latest sign-ins. */
const sessionsSection = `<section class="card" aria-labelledby="sessions">
<h2 id="sessions">Where you are signed in</h2>
<ul class="rows">
<% it.sessions.live.forEach((row) => { %>
<li class="row">
<div>
<div>${origin}<% if (row.isThis) { %> <span class="tag">This one</span><% } %></div>
<div class="soft small">Signed in ${moment('startedAt')}<br>Last seen ${moment('lastSeenAt')}</div>
</div>
<% if (!row.isThis) { %>
<form method="post" action="<%= it.base %>/account/sessions/<%= row.sessionId %>/end">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" class="danger" aria-label="End the session of <%= row.device ?? 'an unknown device' %> of <%= it.words.momentOf(row.startedAt) %>">End</button>
</form>
<% } %>
</li>
<% }) %>
</ul>
<% if (it.sessions.live.length > 1) { %>
<form method="post" action="<%= it.base %>/account/sessions/end-others">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger">End all others</button></div>
</form>
<% } %>
<h3 id="sign-ins">Latest sign-ins</h3>
<ul class="rows" aria-labelledby="sign-ins">
<% it.sessions.latest.forEach((row) => { %>
<li class="small">${moment('startedAt')}: <%= row.device ?? 'unknown device' %><% if (row.network) { %>, <bdi><%= row.network %></bdi><% } %><% if (!row.live) { %> <span class="soft">(ended)</span><% } %></li>
<% }) %>
</ul>
</section>`;

export type AccountView = FormView & {
  readonly email: string;
  readonly addons: readonly AllowedAddon[];
  readonly withdrawn: string | null;
  readonly revoked: boolean;
  /** Whether another session, or all others, were just ended. */
  readonly ended: 'one' | 'others' | null;
  readonly sessions: { readonly live: readonly SessionRow[]; readonly latest: readonly SessionRow[] };
  /** When the password was last set, RFC 3339 UTC; null where there is none. */
  readonly passwordSetAt: string | null;
  readonly passwordChanged: boolean;
  /** Null for users who have none, and cannot have any. */
  readonly passkeys: PasskeysView | null;
  readonly passkeyAdded: boolean;
  readonly passkeyRemoved: boolean;
  /** Why the last action was not done. */
  readonly problem: string | null;
  readonly tokens: readonly TokenRow[];
  readonly administers: boolean;
  /** Whether the user has several roles, so that one of them can be the start page. */
  readonly hasHomes: boolean;
};

export const accountPage = page<AccountView>(
  (view) =>
    `${view.problem ? '' : view.withdrawn ? 'Withdrawn: ' : view.revoked ? 'Revoked: ' : view.ended ? 'Ended: ' : view.passwordChanged ? 'Changed: ' : view.passkeyAdded ? 'Added: ' : view.passkeyRemoved ? 'Removed: ' : ''}Your account`,
  `<h1>Your account</h1>
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
<div><strong>Password</strong> <span class="soft small">Last changed <time datetime="<%= it.passwordSetAt %>"><%= it.words.momentOf(it.passwordSetAt) %></time></span></div>
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
<div class="small"><% if (addon.scopes.length === 0) { %>No access to records<% } else { %>Sees <%= addon.scopes.map((scope) => it.plainWords[scope].short).join(', ') %><% } %></div>
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
<p class="soft small">Only your own records are listed here. What an add-on may see of an organization is decided by its administrators<% if (it.administers) { %>: see <a href="<%= it.base %>/admin">your organizations</a><% } %>.</p>
<% if (it.hasHomes) { %><p class="small"><a href="<%= it.base %>/?choose">Choose your start page</a></p><% } %>
`,
);

type WithdrawView = FormView & {
  readonly addon: AllowedAddon;
};

export const withdrawPage = page<WithdrawView>(
  (view) => `Withdraw the access of ${view.addon.name}?`,
  `<div class="card">
<h1>Withdraw the access of <bdi><%= it.addon.name %></bdi>?</h1>
<p><strong><bdi><%= it.addon.name %></bdi></strong> will at once no longer see your own records<% if (it.addon.scopes.length > 0) { %>: <%= it.addon.scopes.map((scope) => it.plainWords[scope].short).join(', ') %><% } %>.</p>
<ul>
<li>Data that it has already read may still be stored by it.</li>
<li>Access that organizations gave continues.</li>
<li>It can ask you again, and you can decide again.</li>
</ul>
<form method="post" action="<%= it.base %>/account/addons/<%= it.addon.addonId %>/withdraw">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Withdraw</button> <a class="button plain" href="<%= it.base %>/account">Keep it</a></div>
</form>
</div>
`,
);
