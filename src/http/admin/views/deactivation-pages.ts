import type { Acted, ActivationEpoch } from '../../../commands/organizations/show-activation.ts';
import { when } from './addon-page.ts';
import { addonPath, page, type FormView } from '../../pages/render.ts';
import type { AddonFacts } from '../../../administration/organizations/addon-facts.ts';
import type { SignedReceipt } from '../signed-receipt.ts';

export type ReceiptView = Omit<AddonFacts, 'epoch'> &
  FormView & {
    readonly organization: { readonly organizationId: string; readonly name: string };
    readonly epoch: ActivationEpoch;
    readonly deactivated: Acted;
    /** Facts that only the answer to the deactivation had; null without them. */
    readonly signed: SignedReceipt | null;
  };

export const receiptPage = page<ReceiptView>(
  (view) => `${isRefused(view) ? 'Receipt' : 'No receipt yet'}: ${view.addon.name} was deactivated`,
  `<% const { addon, organization, epoch, held, isRefused, signed, words } = it; const left = held === null ? null : held.liveGrants + held.unredeemedCodes; %>
<div class="card">
<h1><%= isRefused ? 'Receipt' : 'No receipt yet' %>: <bdi><%= addon.name %></bdi> was deactivated</h1>
<% if (isRefused) { %>
<p role="status">All its codes and tokens of this activation for <strong><bdi><%= organization.name %></bdi></strong> are refused on every server.<% if (it.activation.epoch > epoch.epoch) { %> It was activated again later: that is another activation, approved anew.<% } %></p>
<% } else { %>
<p class="alert" role="alert">The deactivation is in the log, but it is currently unknown whether all servers refuse the tokens yet. Reload this page<% if (it.activation.epoch === epoch.epoch) { %>, or deactivate it once more: that changes nothing else<% } %>.</p>
<% } %>
<dl class="facts">
<dt>Add-on</dt><dd><bdi><%= addon.name %></bdi><br><code><%= addon.addonId %></code></dd>
<dt>Organization</dt><dd><bdi><%= organization.name %></bdi><br><code><%= organization.organizationId %></code></dd>
<dt>Activation</dt><dd>Epoch <%= epoch.epoch %>, <%~ it.when(epoch.activated, it.names) %></dd>
<dt>Deactivated</dt><dd><%~ it.when(it.deactivated, it.names) %></dd>
<% if (signed) { %><dt>In force</dt><dd>On every server at <time datetime="<%= it.isoOf(signed.fencedAt) %>"><%= words.momentOf(it.isoOf(signed.fencedAt)) %></time> at the latest</dd><% } %>
<dt>Event</dt><dd><code>AddonDeactivated</code> at <code><%= it.deactivated.position.commit %>/<%= it.deactivated.position.prepare %></code></dd>
<% if (signed && signed.ended) { %><dt>Ended</dt><dd><%= words.countOf(signed.ended.liveGrants, 'grant') %><% if (signed.ended.approvers > 0) { %>, approved by <%= words.countOf(signed.ended.approvers, 'person', 'people') %><% } %><% if (signed.ended.unredeemedCodes > 0) { %>; <%= words.countOf(signed.ended.unredeemedCodes, 'code') %> never exchanged<% } %>, as known at that time</dd><% } %>
<dt>Revocation</dt><dd><% if (epoch.revokedGrants !== null) { %>Complete: <% if (epoch.revokedGrants === 0) { %>there was no grant to revoke<% } else { %>the log has <%= epoch.revokedGrants.toLocaleString('en-GB') %> <code>GrantRevoked</code>, one for each grant and each code that was not exchanged<% } %><% } else { %>Not complete yet: <% if (left === null) { %>some <code>GrantRevoked</code> may still have to be written<% } else if (left > 0) { %>as far as the read models know, <%= words.countOf(left, 'grant has', 'grants have') %> no <code>GrantRevoked</code> in the log<% } else { %>only the closing <code>RevocationCompleted</code> is missing<% } %>. <% if (isRefused) { %>Tokens are refused already; reload<% } else { %>Reload<% } %> this page to see the progress<% } %></dd>
</dl>
<% if (!isRefused && it.activation.epoch === epoch.epoch) { %>
<form method="post" action="<%= it.here %>/deactivate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Deactivate once more</button></div>
</form>
<% } %>
<div class="actions"><a class="button plain" href="<%= it.here %>">The add-on</a> <a class="button plain" href="<%= it.base %>/admin/organizations/<%= organization.organizationId %>">Add-ons of the organization</a></div>
<p class="soft small unprinted note"><% if (signed) { %>Keep the address of this page, or print it: it is the receipt.<% } else if (isRefused) { %>This page shows the current state of the log. The original receipt also shows when the deactivation took effect.<% } %></p>
</div>
`,
  (view) => ({ isRefused: isRefused(view), when, isoOf, here: addonPath(view) }),
);

/** The log only records the decision: the answer or the projectors confirm that all instances refuse the tokens. */
const isRefused = ({ signed, refusedEverywhere }: ReceiptView): boolean =>
  signed !== null || refusedEverywhere;

const isoOf = (instant: number): string => new Date(instant).toISOString();

type DeactivateView = AddonFacts &
  FormView & {
    readonly organization: { readonly organizationId: string; readonly name: string };
  };

export const deactivatePage = page<DeactivateView>(
  (view) => `Deactivate ${view.addon.name}?`,
  `<% const { addon, held, words } = it; %>
<div class="card">
<h1>Deactivate <bdi><%= addon.name %></bdi>?</h1>
<p><strong><bdi><%= addon.name %></bdi></strong> will at once lose all access to <strong><bdi><%= it.organization.name %></bdi></strong>.</p>
<h2>What stops</h2>
<ul>
<% if (!held) { %><li>All grants. Their number is currently unknown.</li>
<% } else if (held.liveGrants === 0) { %><li>It has no grants now, and can no longer ask for any.</li>
<% } else { %><li><strong><%= words.countOf(held.liveGrants, 'grant') %></strong>, approved by <strong><%= words.countOf(held.approvers, 'person', 'people') %></strong>: all their tokens are refused at once and permanently.</li><% } %>
<% if (held && held.unredeemedCodes > 0) { %><li><%= words.countOf(held.unredeemedCodes, 'code') %> issued and not exchanged for tokens, including expired ones.</li><% } %>
<% if (held && held.scopes.length > 0) { %><li>It no longer sees this of the organization: <%= words.scopeWords(held.scopes) %>.</li><% } %>
</ul>
<h2>What stays</h2>
<ul>
<li>Access that individual users gave to their own records, but without records of this organization.</li>
<li>Data that it has already read may still be stored by it.</li>
<li>You can activate it again. It then needs new approvals: tokens revoked now stay revoked.</li>
</ul>
<form method="post" action="<%= it.here %>/deactivate">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Deactivate</button> <a class="button plain" href="<%= it.here %>">Keep it</a></div>
</form>
</div>
`,
  (view) => ({ here: addonPath(view) }),
);
