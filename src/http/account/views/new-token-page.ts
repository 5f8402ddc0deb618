import { tokenDays } from '../../../domain/people/administrator-token.ts';
import { compilePage } from '../../pages/render.ts';

/** The field to correct, and what is wrong with it. */
export type TokenFormProblem = {
  readonly field: 'name' | 'organization' | 'days';
  readonly message: string;
};

export type NewTokenView = {
  readonly base: string;
  readonly csrf: string;
  readonly signedIn: string;
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
  /** As typed by the user. */
  readonly name: string;
  /** An organization id, or `all`. */
  readonly organization: string;
  readonly days: string;
  readonly problem: TokenFormProblem | null;
};

type Inside = { title: string; limits: typeof tokenDays };

/** The field to correct gets the focus and names the error. */
const ifWrong = (field: TokenFormProblem['field']) =>
  `<% if (it.problem && it.problem.field === '${field}') { %> aria-invalid="true" aria-describedby="failed" autofocus<% } %>`;

const render = compilePage<NewTokenView & Inside>(`<% layout('@layout') %>
<div class="card">
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
`);

/** The title begins with an error, because screen readers read the title first. */
export const newTokenPage = (view: NewTokenView): string =>
  render({
    ...view,
    title: `${view.problem ? 'Error: ' : ''}Create an administrator token`,
    limits: tokenDays,
  });
