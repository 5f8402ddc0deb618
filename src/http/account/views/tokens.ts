import { tokenDays } from '../../../domain/people/administrator-token.ts';
import { page, type FormView } from '../../pages/render.ts';

export type TokenRow = {
  readonly tokenId: string;
  readonly name: string;
  /** RFC 3339 UTC. */
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** The organization that the token is limited to; null for one that is for all organizations of the user. */
  readonly organizationName: string | null;
  /** Until when it has the rights that a provider's claim gave: RFC 3339 UTC, or `ended`; null where there are none. */
  readonly providerRights: string | null;
};

/** Section of the account page (`AccountView`), for users who administer an organization or still have a token. */
export const tokensSection = `<% if (it.administers || it.tokens.length > 0) { %>
<section class="card" aria-labelledby="tokens">
<h2 id="tokens">Administrator tokens</h2>
<p class="soft small">With a token a program activates and deactivates add-ons for you, wherever you are an administrator. Anyone with this token can act as you.</p>
<% if (it.tokens.length > 0) { %>
<ul class="rows">
<% it.tokens.forEach((token) => { %>
<li class="row">
<div>
<div><strong><bdi><%= token.name %></bdi></strong></div>
<div class="small">For <% if (token.organizationName === null) { %>all organizations that you administer<% } else { %><bdi><%= token.organizationName %></bdi><% } %></div>
<div class="soft small">Made <time datetime="<%= token.issuedAt %>"><%= it.dayOf(token.issuedAt) %></time><br>Expires <time datetime="<%= token.expiresAt %>"><%= it.dayOf(token.expiresAt) %></time><% if (token.providerRights === 'ended') { %><br>Rights from your sign-in provider are paused: sign in with it again<% } else if (token.providerRights !== null) { %><br>Rights from your sign-in provider until <time datetime="<%= token.providerRights %>"><%= it.dayOf(token.providerRights) %></time>, or until you sign out there<% } %></div>
</div>
<a class="button danger" href="<%= it.base %>/account/tokens/<%= token.tokenId %>/revoke">Revoke<span class="hidden"> the token <bdi><%= token.name %></bdi></span></a>
</li>
<% }) %>
</ul>
<% } %>
<% if (it.administers) { %><div class="actions"><a class="button plain" href="<%= it.base %>/account/tokens/new">Create token</a></div><% } %>
</section>
<% } %>`;

/** The field to correct, and what is wrong with it. */
export type TokenFormProblem = {
  readonly field: 'name' | 'organization' | 'days';
  readonly message: string;
};

type NewTokenView = FormView & {
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
  /** As typed by the user. */
  readonly name: string;
  /** An organization id, or `all`. */
  readonly organization: string;
  readonly days: string;
  readonly problem: TokenFormProblem | null;
};

/** The field to correct gets the focus and names the error. */
const ifWrong = (field: TokenFormProblem['field']) =>
  `<% if (it.problem && it.problem.field === '${field}') { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>`;

export const newTokenPage = page<NewTokenView>(
  'Create an administrator token',
  `<div class="card">
<h1>Create an administrator token</h1>
<p class="soft">A program can use it to activate and deactivate add-ons for you. It is valid only for organizations that you administer at the time of use, and for nothing else in your account.</p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem.message %></p><% } %>
<form method="post" action="<%= it.base %>/account/tokens/new">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="name">Name</label>
<input type="text" id="name" name="name" value="<%= it.name %>" maxlength="100" autocomplete="off" required${ifWrong('name')}>
<p class="soft small">For example, the program that uses it.</p>
<label class="field" for="organization">Organization</label>
<select id="organization" name="organization"${ifWrong('organization')}>
<% it.organizations.forEach(({ organizationId, name }) => { %>
<option value="<%= organizationId %>"<%= it.organization === organizationId ? ' selected' : '' %>><%= name %></option>
<% }) %>
<option value="all"<%= it.organization === 'all' ? ' selected' : '' %>>All that I administer, including later ones</option>
</select>
<label class="field" for="days">Days until it expires</label>
<input type="number" id="days" name="days" value="<%= it.days %>" min="<%= it.limits.least %>" max="<%= it.limits.most %>" autocomplete="off" required${ifWrong('days')}>
<p class="soft small"><%= it.limits.least %> to <%= it.limits.most %>.</p>
<div class="actions"><button type="submit">Create token</button> <a class="button plain" href="<%= it.base %>/account">Cancel</a></div>
</form>
</div>
`,
  () => ({ limits: tokenDays }),
);

type TokenMadeView = {
  readonly base: string;
  readonly signedIn: string;
  readonly name: string;
  /** RFC 3339 UTC. */
  readonly expiresAt: string;
  readonly token: string;
};

/** The only page that ever shows the token. */
export const tokenMadePage = page<TokenMadeView>(
  'Copy your token',
  `<div class="card">
<h1>Your token <bdi><%= it.name %></bdi></h1>
<p class="notice" role="status">Copy it now: it is shown only once.</p>
<p><code class="whole"><%= it.token %></code></p>
<p class="soft">It expires <time datetime="<%= it.expiresAt %>"><%= it.dayOf(it.expiresAt) %></time>. Anyone with this token can act as you: keep it where you keep passwords, and revoke it when it is no longer needed.</p>
<p class="soft small">Rights that your sign-in provider gives you pause when you sign out there, and when you have not signed in with it for a time that your account shows; the next sign-in brings them back.</p>
<p class="soft small">A program sends it as <code>Authorization: Bearer</code>; <a href="<%= it.base %>/docs#/Add-ons%20of%20an%20organization">the documentation</a> says where.</p>
<div class="actions"><a class="button plain" href="<%= it.base %>/account">Your account</a></div>
</div>
`,
);

type RevokeTokenView = FormView & {
  readonly token: TokenRow;
};

export const revokeTokenPage = page<RevokeTokenView>(
  (view) => `Revoke the token ${view.token.name}?`,
  `<div class="card">
<h1>Revoke the token <bdi><%= it.token.name %></bdi>?</h1>
<p>Programs that use <strong><bdi><%= it.token.name %></bdi></strong> lose access at once.</p>
<ul>
<li>Activations and deactivations that they made stay in effect.</li>
<li>This cannot be undone; you can create a new token.</li>
</ul>
<form method="post" action="<%= it.base %>/account/tokens/<%= it.token.tokenId %>/revoke">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure">Revoke</button> <a class="button plain" href="<%= it.base %>/account">Keep it</a></div>
</form>
</div>
`,
);
