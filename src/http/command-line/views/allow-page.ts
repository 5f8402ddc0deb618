import { page, type FormView } from '../../pages/render.ts';

type AllowView = FormView & {
  readonly action: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** False for an account without a role of the command line. */
  readonly mayAllow: boolean;
};

export const allowPage = page<AllowView>(
  'Allow the command line',
  `<div class="card">
<h1>Allow the command line?</h1>
<p class="soft">You are signed in as <bdi><%= it.email %></bdi>.</p>
<% if (it.mayAllow) { %>
<p>The program <code>grantbook</code> on this computer asks to act for you for a day. It can do everything that you can do as <strong><%= it.roles.join(' and ') %></strong>:</p>
<ul>
<% if (it.roles.includes('operator')) { %><li>change add-ons, organizations, users, grants and records</li><% } %>
<li>read audit logs</li>
</ul>
<p>Allow it only if you have just run <code>grantbook login</code> yourself. You can end it at any time in your account, under administrator tokens.</p>
<% } else { %>
<p class="alert" role="alert">Only operators and auditors can use the command line. Your account has neither role.</p>
<% } %>
<form method="post" action="<%= it.action %>">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><% if (it.mayAllow) { %><button type="submit" name="decision" value="allow">Allow</button> <% } %><button type="submit" class="plain" name="decision" value="deny">Cancel</button></div>
</form>
</div>
`,
);
