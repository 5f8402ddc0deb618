import { compilePage } from '../../pages/render.ts';

export type AuditOrganizationsView = {
  readonly base: string;
  readonly signedIn: string;
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
};

const render = compilePage<AuditOrganizationsView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Audit logs</h1>
<% if (it.organizations.length === 0) { %><p class="soft">No organization is assigned to you yet. The operator assigns one with <code>grantbook organization add-auditor</code>.</p><% } %>
<% it.organizations.forEach(({ organizationId, name }) => { %>
<div class="row"><strong><bdi><%= name %></bdi></strong><span><a class="button plain" href="<%= it.base %>/audit?organization=<%= organizationId %>">What happened<span class="hidden"> to <bdi><%= name %></bdi></span></a> <a class="button plain" href="<%= it.base %>/audit/grants?organization=<%= organizationId %>">Grants<span class="hidden"> of <bdi><%= name %></bdi> over time</span></a> <a class="button plain" href="<%= it.base %>/audit/questions?organization=<%= organizationId %>">Five questions<span class="hidden"> about <bdi><%= name %></bdi></span></a></span></div>
<% }) %>
</div>
<p class="soft small">Your searches are recorded in the audit log. Organizations that you administer are under <a href="<%= it.base %>/admin">your organizations</a>.</p>
`);

export const auditOrganizationsPage = (view: AuditOrganizationsView): string =>
  render({ ...view, title: 'Audit logs' });
