import type { AllowedAddon } from '../../../projections/read-models.ts';
import { type FormView, type Localized, page } from '../../pages/render.ts';
import { passkeysSection, type PasskeysView } from './passkeys.ts';
import { tokensSection, type TokenRow } from './tokens.ts';

/** The `problem` parameter after a form was sent with an expired session. */
export const sessionEnded = 'session-ended';

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

/** Section of the account page (`AccountView`): where the user is signed in, and the latest sign-ins. */
const sessionsSection = `<section class="card" aria-labelledby="sessions">
<% const s = it.t.sessions; %>
<h2 id="sessions"><%= s.title %></h2>
<ul class="rows">
<% it.sessions.live.forEach((row) => { %>
<li class="row">
<div>
<div><strong><%= row.device ?? s.unknownDevice %></strong><% if (row.network) { %> <span class="soft"><bdi><%= row.network %></bdi></span><% } %><% if (row.isThis) { %> <span class="tag"><%= s.thisOne %></span><% } %></div>
<div class="soft small"><%= s.signedIn %> <%~ it.timeOf(row.startedAt) %><br><%= s.lastSeen %> <%~ it.timeOf(row.lastSeenAt) %></div>
</div>
<% if (!row.isThis) { %>
<form method="post" action="<%= it.base %>/account/sessions/<%= row.sessionId %>/end">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" class="danger" aria-label="<%= s.endOf(row.device, it.words.momentOf(row.startedAt)) %>"><%= s.end %></button>
</form>
<% } %>
</li>
<% }) %>
</ul>
<% if (it.sessions.live.length > 1) { %>
<form method="post" action="<%= it.base %>/account/sessions/end-others">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger"><%= s.endOthers %></button></div>
</form>
<% } %>
<h3 id="sign-ins"><%= s.latest %></h3>
<ul class="rows" aria-labelledby="sign-ins">
<% it.sessions.latest.forEach((row) => { %>
<li class="small"><%~ it.timeOf(row.startedAt) %>: <%= row.device ?? s.unknownDevice %><% if (row.network) { %>, <bdi><%= row.network %></bdi><% } %><% if (!row.live) { %> <span class="soft"><%= s.ended %></span><% } %></li>
<% }) %>
</ul>
</section>`;

export type AccountView = FormView &
  Localized & {
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
    /** Of the times that are shown. */
    readonly timeZone: string;
    /** Whether the last form was not processed, because the session had ended. */
    readonly problem: string | null;
    readonly tokens: readonly TokenRow[];
    readonly administers: boolean;
    /** Whether the user has several roles, so that one of them can be the start page. */
    readonly hasHomes: boolean;
  };

const titleOf = (view: AccountView): string => {
  const { account } = view.reader.words;
  if (view.problem) return account.title;
  const done = [
    view.withdrawn ? account.withdrawnTitle : '',
    view.revoked ? account.revokedTitle : '',
    view.ended ? account.endedTitle : '',
    view.passwordChanged ? account.changedTitle : '',
    view.passkeyAdded ? account.addedTitle : '',
    view.passkeyRemoved ? account.removedTitle : '',
  ].find((text) => text !== '');
  return `${done ?? ''}${account.title}`;
};

export const accountPage = page<AccountView>(
  titleOf,
  `<% const a = it.t.account; %><h1><%= a.title %></h1>
<% if (it.problem) { %><p class="alert" role="alert"><%= it.problem %></p><% } %>
<% if (it.withdrawn) { %><p class="notice" role="status"><%~ it.stress(a.withdrawn(it.mark(it.withdrawn))) %></p><% } %>
<% if (it.revoked) { %><p class="notice" role="status"><%= a.revoked %></p><% } %>
<% if (it.passwordChanged) { %><p class="notice" role="status"><%= a.passwordChanged %></p><% } %>
<% if (it.passkeyAdded) { %><p class="notice" role="status"><%= a.passkeyAdded %></p><% } %>
<% if (it.passkeyRemoved) { %><p class="notice" role="status"><%= a.passkeyRemoved %></p><% } %>
<% if (it.ended) { %><p class="notice" role="status"><%= it.ended === 'one' ? a.oneEnded : a.othersEnded %></p><% } %>
<section class="card" aria-labelledby="you">
<h2 id="you"><%= a.signedInAs %></h2>
<div class="row">
<div><strong><bdi><%= it.signedIn %></bdi></strong> <span class="soft"><bdi><%= it.email %></bdi></span></div>
<form method="post" action="<%= it.base %>/sign-out">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<input type="hidden" name="return_to" value="/account">
<button type="submit" class="link"><%= it.t.frame.notYou %></button>
</form>
</div>
<% if (it.passwordSetAt) { %><div class="row">
<div><strong><%= a.password %></strong> <span class="soft small"><%= a.lastChanged %> <%~ it.timeOf(it.passwordSetAt) %></span></div>
<a class="button plain" href="<%= it.base %>/account/password"><%= a.changePassword %></a>
</div><% } %>
<div class="row">
<div><strong><%= a.language %></strong> <span class="soft small"><%= it.t.name %>, <%= it.timeZone %></span></div>
<a class="button plain" href="<%= it.base %>/account/language"><%= a.changeLanguage %></a>
</div>
</section>
${passkeysSection}
<section class="card" aria-labelledby="addons">
<h2 id="addons"><%= a.addons %></h2>
<% if (it.addons.length === 0) { %><p class="soft"><%= a.noAddons %></p><% } else { %>
<ul class="rows">
<% it.addons.forEach((addon) => { %>
<li class="row">
<div>
<div><strong><bdi><%= addon.name %></bdi></strong><% if (addon.suspended) { %> <span class="tag stop"><%= a.suspended %></span><% } %><% if (addon.retired) { %> <span class="tag stop"><%= a.retired %></span><% } %></div>
<div class="small"><% if (addon.scopes.length === 0) { %><%= a.noAccess %><% } else { %><%= a.sees(addon.scopes.map((scope) => it.plainWords[scope].short).join(', ')) %><% } %></div>
<div class="soft small"><%= a.allowedSince %> <time datetime="<%= addon.allowedAt %>"><%= it.dayOf(addon.allowedAt) %></time><br><% if (addon.renewedAt) { %><%= a.lastRenewed %> <time datetime="<%= addon.renewedAt %>"><%= it.dayOf(addon.renewedAt) %></time><% } else if (addon.firstTokenAt) { %><%= a.firstUsed %> <time datetime="<%= addon.firstTokenAt %>"><%= it.dayOf(addon.firstTokenAt) %></time>, <%= a.notRenewed %><% } else { %><%= a.neverUsed %><% } %></div>
</div>
<a class="button danger" href="<%= it.base %>/account/addons/<%= addon.addonId %>/withdraw" aria-label="<%= a.withdrawOf(addon.name) %>"><%= a.withdraw %></a>
</li>
<% }) %>
</ul>
<% } %>
</section>
${tokensSection}
${sessionsSection}
<p class="soft small"><%= a.onlyOwn %></p>
<% if (it.administers || it.hasHomes) { %><p class="small links"><% if (it.administers) { %><a href="<%= it.base %>/admin"><%= a.yourOrganizations %></a> <% } %><% if (it.hasHomes) { %><a href="<%= it.base %>/?choose"><%= a.chooseHome %></a><% } %></p><% } %>
`,
);

type WithdrawView = FormView &
  Localized & {
    readonly addon: AllowedAddon;
  };

export const withdrawPage = page<WithdrawView>(
  ({ addon, reader: { words } }) => words.account.withdrawTitle(addon.name),
  `<div class="card">
<% const a = it.t.account; const name = it.mark(it.addon.name); %>
<h1><%~ it.say(a.withdrawTitle(name)) %></h1>
<p><%~ it.stress(a.withdrawWhat(name, it.addon.scopes.map((scope) => it.plainWords[scope].short).join(', '))) %></p>
<ul><% a.withdrawEffects.forEach((effect) => { %>
<li><%= effect %></li><% }) %>
</ul>
<form method="post" action="<%= it.base %>/account/addons/<%= it.addon.addonId %>/withdraw">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure"><%= a.withdraw %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.keep %></a></div>
</form>
</div>
`,
);
