import { type Localized, page } from '../../../pages/render.ts';
import type { Impossible } from '../subject-candidates.ts';
import './who-decides.ts';

export type ImpossibleView = Localized & {
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
  ({ addonName, reader: { words } }) => words.impossible.title(addonName),
  `<div class="card">
<% const say = it.t.impossible; %><h1><%~ it.say(say.title(it.mark(it.addonName))) %></h1>
<p><% if (it.why === 'no-organization') { %><%= say.none %><% } else { %><%~ it.stress(say.asks(it.mark(it.organization))) %> <%= say[it.because] %><% } %></p>
<% if (it.why === 'not-active' || it.why === 'no-organization') { %><p class="soft small note"><% if (it.canBeActivated) { %><%= say.whoActivates %> <a href="<%= it.base %>/admin"><%= it.t.frame.organizations %></a><% } else { %><%= it.t.approve.cannotBeActivated %><% } %></p><% } %>
<p><%= say.nothingShared %></p>
<form method="post" action="<%= it.base %>/oauth/authorize/decision">
<input type="hidden" name="interaction" value="<%= it.interaction %>">
<div class="actions">
<button type="submit" name="decision" value="deny"><%= it.t.frame.backTo(it.destination) %></button>
</div>
</form>
<%~ include('@who-decides', it) %>
</div>
`,
  ({ why }) => ({ because: because[why] }),
);

const because = {
  unknown: 'unknown',
  'not-administered': 'notAdministered',
  closed: 'closed',
  'not-active': 'notActive',
  'no-organization': 'none',
} as const satisfies Record<Impossible['why'], string>;
