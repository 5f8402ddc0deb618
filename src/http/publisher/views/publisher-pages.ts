import type { z } from 'zod';
import type { ChangeItem } from '../../../administration/addons/addon-changes.ts';
import type { AddonItem } from '../../../administration/addons.ts';
import type { Field } from '../../../administration/fields.ts';
import type { SignalItem } from '../../../administration/signals.ts';
import type {
  activeOrganizations,
  addonSecrets,
  AddonUsage,
} from '../../../administration/publishing/answers.ts';
import { page, type FormView } from '../../pages/render.ts';

export type PublishedAddonsView = Pick<FormView, 'base' | 'signedIn'> & {
  readonly addons: readonly AddonItem[];
  /** The `after` of the next page; null at the end. */
  readonly next: string | null;
};

/** `/publisher`. */
export const publishedAddonsPage = page<PublishedAddonsView>(
  'Your add-ons',
  `<h1>Your add-ons</h1>
<% if (it.addons.length === 0) { %><div class="card"><p>There is no add-on yet: an operator registers them.</p>
<p><a href="<%= it.base %>/docs">How an add-on connects</a></p></div><% } else { %>
<ul class="rows">
<% it.addons.forEach((addon) => { %><li class="card"><h2><a href="<%= it.base %>/publisher/addons/<%= addon.client_id %>"><bdi><%= addon.name %></bdi></a></h2>
<p class="soft small"><bdi><%= addon.publisher %></bdi> · <code><%= addon.client_id %></code><% if (addon.retired) { %> · retired<% } else if (addon.suspended) { %> · suspended<% } %></p></li>
<% }) %></ul><% } %>
<% if (it.next !== null) { %><nav class="ways" aria-label="Pages"><a class="button plain" href="<%= it.base %>/publisher?after=<%= it.next %>">Later add-ons</a></nav><% } %>
`,
);

export type PublishedAddonView = FormView & {
  readonly addon: AddonItem;
  readonly organizations: z.infer<typeof activeOrganizations>;
  readonly secrets: z.infer<typeof addonSecrets>['items'];
  readonly changes: readonly ChangeItem[];
  readonly fields: readonly Pick<Field, 'name' | 'kind' | 'title' | 'description'>[];
  readonly signals: SignalItem | null;
  readonly usage: AddonUsage['days'];
};

const time = (variable: string) =>
  `<time datetime="<%= ${variable} %>"><%= it.words.momentOf(${variable}) %></time>`;

const form = (action: string, inner: string, label: string, kind = '') =>
  `<form method="post" action="<%= it.here %>/${action}"><input type="hidden" name="csrf" value="<%= it.csrf %>">${inner}<div class="actions"><button type="submit"${kind}>${label}</button></div></form>`;

const facts = (pairs: Readonly<Record<string, string>>) =>
  `<dl class="facts">${Object.entries(pairs)
    .map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`)
    .join('')}</dl>`;

const many = (variable: string) =>
  `<% ${variable}.forEach((one) => { %><div><bdi><%= one %></bdi></div><% }) %>`;

const counts = (variable: string) =>
  `<% ${variable}.forEach((one) => { %><div><%= one.name %>: <%= one.count %></div><% }) %>`;

/** `/publisher/addons/{client_id}`. */
export const publishedAddonPage = page<PublishedAddonView>(
  ({ addon }) => addon.name,
  `<p class="small"><a href="<%= it.base %>/publisher">Your add-ons</a></p>
<h1><bdi><%= it.addon.name %></bdi></h1>
<section class="card" aria-labelledby="registration"><h2 id="registration">Registration</h2>
${facts({
  'Client id': '<code><%= it.addon.client_id %></code>',
  'Redirect URIs': many('it.addon.redirect_uris'),
  'Configuration URL': "<%= it.addon.configuration_url ?? 'none' %>",
  'After a sign-out': many('it.addon.post_logout_redirect_uris'),
  Scopes: many('it.addon.scopes'),
  Website: "<%= it.addon.website ?? 'none' %>",
  'Privacy statement': "<%= it.addon.privacy_url ?? 'none' %>",
  Support: "<%= it.addon.support_url ?? 'none' %>",
})}</section>
<section class="card" aria-labelledby="organizations"><h2 id="organizations">Organizations that have it active</h2>
<p><%= it.organizations.shown + it.organizations.hidden %><% if (it.organizations.hidden > 0) { %>, of which <%= it.organizations.hidden %> do not show their name<% } %></p>
<% it.organizations.items.forEach((one) => { %><div><bdi><%= one.name %></bdi> <code class="soft small"><%= one.organization_id %></code></div><% }) %></section>
<section class="card" aria-labelledby="secrets"><h2 id="secrets">Client secrets</h2>
<% it.secrets.forEach((secret) => { %><p><code><%= secret.secret_id %></code>, since ${time('secret.added_at')}</p>
<% if (it.secrets.length > 1) { %>${form('secrets/<%= secret.secret_id %>/remove', '', 'Remove this secret', ' class="danger"')}<% } %><% }) %>
<% if (it.addon.confidential) { %>${form('secrets', '', 'Add a secret')}<% } else { %><p>A public add-on has none.</p><% } %></section>
<section class="card" aria-labelledby="changes"><h2 id="changes">Changes</h2>
<% it.changes.forEach((change) => { %><p><strong><%= change.state %></strong>, proposed ${time('change.requested_at')}: <bdi><%= it.changeWords(change) %></bdi><% if (change.reason) { %> (<%= change.reason %>)<% } %></p>
<% if (change.state === 'waiting') { %>${form('changes/<%= change.change_id %>/withdraw', '', 'Withdraw')}<% } %><% }) %>
${form(
  'changes',
  `<% it.fields.forEach((field) => { const id = 'change-' + field.name; %><label class="field" for="<%= id %>"><%= field.title %></label>
<% if (field.kind === 'several') { %><textarea id="<%= id %>" name="<%= field.name %>" rows="2" spellcheck="false" aria-describedby="<%= id %>-hint"></textarea><% } else { %><input type="text" id="<%= id %>" name="<%= field.name %>" autocomplete="off" aria-describedby="<%= id %>-hint"><% } %>
<p class="soft small" id="<%= id %>-hint"><%= field.description %><% if (field.kind === 'several') { %>; one a line<% } %></p><% }) %>`,
  'Propose the change',
)}</section>
<section class="card" aria-labelledby="signals"><h2 id="signals">Signals</h2>
<% if (it.signals === null) { %><p>The add-on has no signal stream.</p><% } else { %>
${facts({
  Method: '<%= it.signals.method %>',
  Status: '<%= it.signals.status %>',
  Waiting: '<%= it.signals.waiting %>',
  'Last error': "<%= it.signals.last_error ?? 'none' %>",
  'Failing since': `<% if (it.signals.failing_since) { %>${time('it.signals.failing_since')}<% } else { %>it works<% } %>`,
})}
${form('signals/test', '', 'Send a verification event')}
${form('signals/replay', '<label class="field" for="after">Position of the event before the first one that is offered again</label><input type="text" id="after" name="after" required autocomplete="off">', 'Offer signals again')}<% } %></section>
<section class="card" aria-labelledby="usage"><h2 id="usage">The last 30 days</h2>
<% if (it.usage.length === 0) { %><p>Nothing was counted.</p><% } %>
<% it.usage.forEach((day) => { %><h3><%= day.day %></h3>
${facts({
  'Tokens issued': '<%= day.tokens %>',
  'Pages of lists': counts('day.requests'),
  Refusals:
    '<% day.refusals.forEach((one) => { %><div><%= one.endpoint %>: <% if (one.explanation) { %><a href="<%= it.base %>/problems/<%= one.explanation.split(\'/\').at(-1) %>"><%= one.reason %></a><% } else { %><%= one.reason %><% } %>, <%= one.count %>; request <code><%= one.last_request_id %></code></div><% }) %>',
  'Limits reached': counts('day.limits'),
})}<% }) %></section>
`,
  (view) => ({
    wide: true,
    here: `${view.base}/publisher/addons/${view.addon.client_id}`,
    changeWords: (change: ChangeItem) =>
      view.fields
        .flatMap(({ name, title }) => {
          const value = [change[name as keyof ChangeItem] ?? []].flat();
          return value.length === 0 ? [] : [`${title}: ${value.join(' ')}`];
        })
        .join('; '),
  }),
);

export type NewSecretView = Pick<FormView, 'base' | 'signedIn'> & {
  readonly clientId: string;
  readonly secret: string;
};

export const newSecretPage = page<NewSecretView>(
  'The new secret',
  `<div class="card">
<h1>The new secret</h1>
<p>Copy it now: it is not shown again. The other secrets stay valid until you remove them.</p>
<p><code class="whole"><%= it.secret %></code></p>
<div class="actions"><a class="button" href="<%= it.base %>/publisher/addons/<%= it.clientId %>">Done</a></div>
</div>
`,
);
