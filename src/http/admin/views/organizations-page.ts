import { compilePage } from '../../pages/render.ts';

export type OrganizationsView = {
  readonly base: string;
  readonly signedIn: string;
  /** Whether to link to the audit logs. */
  readonly audits: boolean;
  /** Whether to link to the operators' page. */
  readonly operates: boolean;
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
};

const render = compilePage<OrganizationsView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Your organizations</h1>
<% if (it.organizations.length === 0) { %><p class="soft">You do not administer an organization.</p><% } %>
<% it.organizations.forEach(({ organizationId, name }) => { %>
<div class="row"><strong><bdi><%= name %></bdi></strong><a class="button plain" href="<%= it.base %>/admin/organizations/<%= organizationId %>">Add-ons<span class="hidden"> of <bdi><%= name %></bdi></span></a></div>
<% }) %>
</div>
<p class="soft small">See the add-ons with access to your own records under <a href="<%= it.base %>/account">your account</a>.<% if (it.audits) { %> You may read <a href="<%= it.base %>/audit">audit logs</a>.<% } %><% if (it.operates) { %> You may see the <a href="<%= it.base %>/operator">service status</a>.<% } %></p>
`);

export const organizationsPage = (view: OrganizationsView): string =>
  render({ ...view, title: 'Your organizations' });
