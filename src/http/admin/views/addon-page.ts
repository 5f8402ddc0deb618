import type { Logo } from '../../../domain/addons/addon.ts';
import type { AddonFacts } from '../../../administration/organizations/addon-facts.ts';
import type { ToldTo } from '../delivery-state.ts';
import { addonDetails } from './addon-details.ts';
import { addonPath, compile, page, type FormView } from '../../pages/render.ts';
import { words } from '../../pages/words.ts';

export type AddonView = AddonFacts &
  FormView & {
    readonly organization: {
      readonly organizationId: string;
      readonly name: string;
      readonly isClosed: boolean;
    };
    readonly logo: Logo | null;
    /** Null for an add-on that is not notified, or while that is not known. */
    readonly told: ToldTo | null;
  };

export const addonPage = page<AddonView>(
  (view) => `${view.addon.name} – ${view.organization.name}`,
  `<% const { addon, activation, epoch, held, words } = it; const asks = addon.allowedScopes.length > 0 ? words.allowedWords(addon.allowedScopes) : 'no access to records'; %>
<p class="small"><a href="<%= it.base %>/admin/organizations/<%= it.organization.organizationId %>">Add-ons of <bdi><%= it.organization.name %></bdi></a></p>
<h1><bdi><%= addon.name %></bdi></h1>
<%~ it.details %>
<section class="card" aria-labelledby="state">
<h2 id="state">For <bdi><%= it.organization.name %></bdi></h2>
<dl class="facts">
<dt>State</dt><dd><% if (activation.status === 'active') { %><span class="tag">Active</span><% } else { %><span class="tag off"><%= activation.status === 'deactivated' ? 'Deactivated' : 'Never activated' %></span><% } %><% if (addon.suspended) { %> <span class="tag stop">Suspended</span> by the operator, for all organizations: no token of it works until that is lifted<% } %><% if (addon.retired) { %> <span class="tag stop">Retired</span> by the operator, permanently<% } %></dd>
<% if (epoch) { %>
<dt>Activated</dt><dd><%~ it.when(epoch.activated, it.names) %><% if (epoch.epoch > 1) { %> (activation epoch <%= epoch.epoch %>)<% } %></dd>
<% if (epoch.deactivated) { %>
<dt>Deactivated</dt><dd><%~ it.when(epoch.deactivated, it.names) %></dd>
<dt>Revocation</dt><dd><% if (epoch.revokedGrants !== null) { %>Complete: <%= words.countOf(epoch.revokedGrants, 'grant') %> revoked<% } else if (it.refusedEverywhere) { %>Every token is refused; the events for the log are still being written<% } else { %>It is currently unknown whether all servers refuse its tokens<% } %>. <a href="<%= it.here %>/receipt">Receipt</a></dd>
<% } %>
<dt>Grants</dt><dd><% if (held) { %><%= words.countOf(held.liveGrants, 'grant') %><% if (held.liveGrants > 0) { %>, approved by <%= words.countOf(held.approvers, 'person', 'people') %><% } %><% if (held.unredeemedCodes > 0) { %>; <%= words.countOf(held.unredeemedCodes, 'code') %> never exchanged<% } %><% } else { %>Not known at this moment<% } %></dd>
<% if (held && held.scopes.length > 0) { %><dt>Sees</dt><dd><%= words.scopeWords(held.scopes) %></dd><% } %>
<dt>Last use</dt><dd><% if (held && held.lastTokenAt) { %>Got its last token on <time datetime="<%= held.lastTokenAt %>"><%= words.momentOf(held.lastTokenAt) %></time>. <span class="soft">The token may have been used until it expired: what it read is counted, by the hour, for auditors.</span><% } else if (held) { %>Never used<% } else { %>Not known at this moment<% } %></dd>
<% } %>
<% if (it.told) { const { told } = it; %>
<dt>Notified of</dt><dd>Changes of its access, <%= told.method === 'push' ? 'by pushes to its server' : 'when it asks for them' %><% if (told.status !== 'enabled') { %> <span class="tag off"><%= told.status === 'paused' ? 'Paused' : 'Switched off' %></span><% } %>: <%= words.countOf(told.delivered, 'message') %> delivered<% if (told.lastDeliveredAt !== null) { %>, the last one on <%~ it.moment(told.lastDeliveredAt) %><% } %>; <%= told.waiting === 0 ? 'none' : told.waiting %> waiting<% if (told.oldestWaitingAt !== null) { %> since <%~ it.moment(told.oldestWaitingAt) %><% } %>.<% if (told.lastError !== null) { %> <span class="soft">The last attempt failed: its server <bdi><%= told.lastError %></bdi>.</span><% } else if (told.pushesFailed) { %> <span class="soft">Pushes to its server failed.</span><% } %></dd>
<% } %>
<dt>May ask for</dt><dd><%= asks %></dd>
<dt>client_id</dt><dd><code><%= addon.addonId %></code></dd>
<dt>organization_id</dt><dd><code><%= it.organization.organizationId %></code></dd>
</dl>
<% if (activation.status === 'active') { %>
<% if (it.isUnfinished) { %>
<form method="post" action="<%= it.here %>/activate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<p class="note" id="leads">It has no access: set-up is not finished, or all grants have ended. It is set up at <strong><bdi><%= words.hostOf(addon.configurationUrl) %></bdi></strong>, and then asks for your approval.</p>
<div class="actions"><button type="submit" aria-describedby="leads">Finish set-up</button></div>
</form>
<% } %>
<div class="actions"><a class="button plain" href="<%= it.here %>/grants">Grants</a> <a class="button danger" href="<%= it.here %>/deactivate">Deactivate</a></div>
<% } else if (it.organization.isClosed) { %>
<p class="soft note">The organization is closed: no add-on can be activated for it.</p>
<% } else if (addon.configurationUrl === null) { %>
<p class="soft note">It was registered without a configuration URL, so it cannot be activated for an organization. Users can still allow it to read their own records. Ask the operator of this service if it should be available to organizations.</p>
<% } else if (addon.retired) { %>
<p class="soft note">It was retired, so it cannot be activated again.</p>
<% } else if (addon.suspended) { %>
<p class="soft note">It cannot be activated while it is suspended.</p>
<% } else { %>
<form method="post" action="<%= it.here %>/activate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<p class="note" id="leads">Activating sends you to <strong><bdi><%= words.hostOf(addon.configurationUrl) %></bdi></strong>, where you set the add-on up. It then asks for your approval of at most: <%= asks %>.</p>
<div class="actions"><button type="submit" aria-describedby="leads">Activate</button></div>
</form>
<% } %>
</section>
<% if (epoch) { %>
<section class="card" aria-labelledby="approved">
<h2 id="approved">Approved by</h2>
<% if (it.approvals === null) { %><p class="soft">Not known at this moment.</p><% } else if (it.approvals.length === 0) { %><p class="soft">Nobody yet.</p><% } else { %>
<ul class="rows">
<% it.approvals.forEach((approval) => { %>
<li class="row"><div>
<div><strong><bdi><%= approval.name ?? approval.userId %></bdi></strong></div>
<div class="small">Allowed: <%= approval.scopes.length > 0 ? words.scopeWords(approval.scopes) : 'no access to records' %></div>
<div class="soft small"><%= words.countOf(approval.liveGrants, 'grant') %><% if (approval.lastTokenAt) { %> · last token on <time datetime="<%= approval.lastTokenAt %>"><%= words.momentOf(approval.lastTokenAt) %></time><% } %></div>
</div></li>
<% }) %>
</ul>
<% if (it.approvals.length >= 100) { %><p class="soft small">Listed are the 100 whose grants were used last; there may be more.</p><% } %>
<% } %>
<p class="soft small">Grants belong to the organization: they stay valid when somebody leaves it.</p>
</section>
<% } %>
`,
  (view) => ({
    wide: true,
    details: addonDetails(view.addon, view.logo),
    when,
    moment,
    isUnfinished: isUnfinished(view),
    here: addonPath(view),
  }),
);

const momentTemplate = compile<{ at: string; words: typeof words }>(
  `<time datetime="<%= it.at %>"><%= it.words.momentOf(it.at) %></time>`,
);

const moment = (instant: number): string => momentTemplate({ at: new Date(instant).toISOString(), words });

const whenTemplate = compile<{
  at: string;
  words: typeof words;
  actor: string;
}>(`<time datetime="<%= it.at %>"><%= it.words.momentOf(it.at) %></time> by <bdi><%= it.actor %></bdi>`);

export const when = (
  { by, at }: { readonly by: string; readonly at: number },
  names: ReadonlyMap<string, string>,
): string => whenTemplate({ at: new Date(at).toISOString(), words, actor: words.actorOf(by, names) });

/** Active without a grant, e.g. because its configuration page was closed too soon. A suspended add-on cannot continue. */
const isUnfinished = ({ addon, activation, held }: AddonView): boolean =>
  activation.status === 'active' &&
  addon.configurationUrl !== null &&
  !addon.suspended &&
  !addon.retired &&
  held?.liveGrants === 0;
