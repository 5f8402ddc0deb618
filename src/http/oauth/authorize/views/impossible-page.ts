import { page } from '../../../pages/render.ts';
import type { Impossible } from '../subject-candidates.ts';
import './who-decides.ts';

export type ImpossibleView = {
  readonly base: string;
  readonly interaction: string;
  readonly addonName: string;
  /** Host (or scheme) to which the button sends the browser. */
  readonly destination: string;
  readonly signedIn: string;
  readonly email: string;
  /** False when the add-on asks for this very user. */
  readonly mayBeAnother: boolean;
  readonly canBeActivated: boolean;
  readonly why: Impossible['why'];
  /** Its name, or as the add-on named it to a user who does not administer it. */
  readonly organization: string;
};

/** Says why the user cannot decide for the subject that an add-on asks for (AP-03), with the way back to the add-on. */
export const impossiblePage = page<ImpossibleView>(
  (view) => `${view.addonName} cannot get access`,
  `<div class="card">
<h1><bdi><%= it.addonName %></bdi> cannot get access</h1>
<p><% if (it.why === 'no-organization') { %>It asks for the records of an organization, and you administer none for which it is active.<% } else { %>It asks for the records of the organization <strong><bdi><%= it.organization %></bdi></strong>. <%= it.because %><% } %></p>
<% if (it.why === 'not-active' || it.why === 'no-organization') { %><p class="soft small note"><% if (it.canBeActivated) { %>Administrators activate it under <a href="<%= it.base %>/admin">“Your organizations”</a>.<% } else { %>The add-on has no configuration URL, so it cannot be activated for an organization.<% } %></p><% } %>
<p>Nothing was shared.</p>
<form method="post" action="<%= it.base %>/oauth/authorize/decision">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<div class="actions">
<button type="submit" name="decision" value="deny">Back to <%= it.destination %></button>
</div>
</form>
<%~ include('@who-decides', it) %>
</div>
`,
  ({ why }) => ({ because: because[why] }),
);

const because: Readonly<Record<Impossible['why'], string>> = {
  unknown: 'There is no such organization here.',
  'not-administered': 'You do not administer it, so you cannot decide for it.',
  closed: 'It is closed, so no add-on can get access to it.',
  'not-active': 'The add-on is not active for it.',
  'no-organization': '',
};
