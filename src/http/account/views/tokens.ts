import { tokenDays } from '../../../domain/people/administrator-token.ts';
import { type FormView, type Localized, page } from '../../pages/render.ts';

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
<% const k = it.t.tokens; %><h2 id="tokens"><%= k.title %></h2>
<p class="soft small"><%= k.what %></p>
<% if (it.tokens.length > 0) { %>
<ul class="rows">
<% it.tokens.forEach((token) => { %>
<li class="row">
<div>
<div><strong><bdi><%= token.name %></bdi></strong></div>
<div class="small"><%~ it.say(token.organizationName === null ? k.forAll : k.forOne(it.mark(token.organizationName))) %></div>
<div class="soft small"><%= k.made %> <time datetime="<%= token.issuedAt %>"><%= it.dayOf(token.issuedAt) %></time><br><%= k.expires %> <time datetime="<%= token.expiresAt %>"><%= it.dayOf(token.expiresAt) %></time><% if (token.providerRights === 'ended') { %><br><%= k.rightsPaused %><% } else if (token.providerRights !== null) { %><br><%= k.rightsUntil(it.dayOf(token.providerRights)) %><% } %></div>
</div>
<a class="button danger" href="<%= it.base %>/account/tokens/<%= token.tokenId %>/revoke" aria-label="<%= k.revokeOf(token.name) %>"><%= k.revoke %></a>
</li>
<% }) %>
</ul>
<% } %>
<% if (it.administers) { %><div class="actions"><a class="button plain" href="<%= it.base %>/account/tokens/new"><%= k.create %></a></div><% } %>
</section>
<% } %>`;

/** The field to correct, and what is wrong with it. */
export type TokenFormProblem = {
  readonly field: 'name' | 'organization' | 'days';
  readonly message: string;
};

type NewTokenView = FormView &
  Localized & {
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
  ({ reader: { words } }) => words.tokens.createTitle,
  `<div class="card">
<h1><%= it.title %></h1>
<% const k = it.t.tokens; %><p class="soft"><%= k.createHow %></p>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem.message %></p><% } %>
<form method="post" action="<%= it.base %>/account/tokens/new">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<label class="field" for="name"><%= k.name %></label>
<input type="text" id="name" name="name" value="<%= it.name %>" maxlength="100" autocomplete="off" required${ifWrong('name')}>
<p class="soft small"><%= k.nameHow %></p>
<label class="field" for="organization"><%= k.organization %></label>
<select id="organization" name="organization"${ifWrong('organization')}>
<% it.organizations.forEach(({ organizationId, name }) => { %>
<option value="<%= organizationId %>"<%= it.organization === organizationId ? ' selected' : '' %>><%= name %></option>
<% }) %>
<option value="all"<%= it.organization === 'all' ? ' selected' : '' %>><%= k.all %></option>
</select>
<label class="field" for="days"><%= k.days %></label>
<input type="number" id="days" name="days" value="<%= it.days %>" min="<%= it.limits.least %>" max="<%= it.limits.most %>" autocomplete="off" required${ifWrong('days')}>
<p class="soft small"><%= k.daysRange(it.limits.least, it.limits.most) %></p>
<div class="actions"><button type="submit"><%= k.create %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.cancel %></a></div>
</form>
</div>
`,
  () => ({ limits: tokenDays }),
);

type TokenMadeView = Localized & {
  readonly base: string;
  readonly signedIn: string;
  readonly name: string;
  /** RFC 3339 UTC. */
  readonly expiresAt: string;
  readonly token: string;
};

/** The only page that ever shows the token. */
export const tokenMadePage = page<TokenMadeView>(
  ({ reader: { words } }) => words.tokens.copyTitle,
  `<div class="card">
<% const k = it.t.tokens; %><h1><%~ it.say(k.yours(it.mark(it.name))) %></h1>
<p class="notice" role="status"><%= k.copyNow %></p>
<p><code class="whole"><%= it.token %></code></p>
<p class="soft"><%= k.expiresAt(it.dayOf(it.expiresAt)) %></p>
<p class="soft small"><%= k.pauses %></p>
<p class="soft small"><a href="<%= it.base %>/docs#/Add-ons%20of%20an%20organization"><%= k.howSent %></a>: <code>Authorization: Bearer …</code></p>
<div class="actions"><a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.account %></a></div>
</div>
`,
);

type RevokeTokenView = FormView &
  Localized & {
    readonly token: TokenRow;
  };

export const revokeTokenPage = page<RevokeTokenView>(
  ({ token, reader: { words } }) => words.tokens.revokeTitle(token.name),
  `<div class="card">
<% const k = it.t.tokens; const name = it.mark(it.token.name); %><h1><%~ it.say(k.revokeTitle(name)) %></h1>
<p><%~ it.stress(k.revokeWhat(name)) %></p>
<ul><% k.revokeEffects.forEach((effect) => { %>
<li><%= effect %></li><% }) %>
</ul>
<form method="post" action="<%= it.base %>/account/tokens/<%= it.token.tokenId %>/revoke">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit" class="danger sure"><%= k.revoke %></button> <a class="button plain" href="<%= it.base %>/account"><%= it.t.frame.keep %></a></div>
</form>
</div>
`,
);
