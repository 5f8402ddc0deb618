import { markName } from '../../../domain/kernel/sentence.ts';
import type { Session } from '../../../commands/sign-in/read-session.ts';
import { alert } from '../../pages/components.ts';
import { markup, say, stress } from '../../pages/html.ts';
import { page, type FormView } from '../../pages/render.ts';

type AllowView = FormView &
  Pick<Session, 'email'> & {
    readonly roles: readonly (Session['roles'][number] | 'publisher')[];
    readonly action: string;
    readonly mayAllow: boolean;
  };

export const allowPage = page<AllowView>(
  ({ reader: { words } }) => words.commandLine.title,
  ({ reader: { words, list }, action, csrf, email, roles, mayAllow }) => {
    const { commandLine: c, frame, approve } = words;
    const named = markName(list(roles.map((role) => c.roles[role])));
    return markup`<div class="card">
<h1>${c.question}</h1>
<p class="soft">${say(frame.signedInAs(markName(email)))}</p>
${
  mayAllow
    ? markup`<p>${stress(c.asks(markName('grantbook'), named))}</p>
<ul>
${roles.includes('operator') && markup`<li>${c.changes}</li>`}
${roles.includes('publisher') && markup`<li>${c.ownAddons}</li>`}
${roles.some((role) => role !== 'publisher') && markup`<li>${c.reads}</li>`}
</ul>
<p>${stress(c.onlyAfter(markName('grantbook login')))}</p>`
    : alert(c.notForYou)
}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
<div class="actions">${mayAllow && markup`<button type="submit" name="decision" value="allow">${approve.allow}</button> `}<button type="submit" class="plain" name="decision" value="deny">${frame.cancel}</button></div>
</form>
</div>
`;
  },
);
