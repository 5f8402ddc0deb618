import { markName } from '../../../../domain/kernel/sentence.ts';
import { markup, say, stress } from '../../../pages/html.ts';
import { type Localized, page } from '../../../pages/render.ts';
import type { Impossible } from '../subject-candidates.ts';
import { whoDecides } from './who-decides.ts';

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
  (view) => {
    const { base, interaction, why, canBeActivated, destination } = view;
    const { approve, frame, impossible } = view.reader.words;
    const whoActivates = canBeActivated
      ? markup`${impossible.whoActivates} <a href="${base}/admin">${frame.organizations}</a>`
      : approve.cannotBeActivated;
    return markup`<div class="card">
<h1>${say(impossible.title(markName(view.addonName)))}</h1>
<p>${why === 'no-organization' ? impossible.none : markup`${stress(impossible.asks(markName(view.organization)))} ${impossible[because[why]]}`}</p>
${(why === 'not-active' || why === 'no-organization') && markup`<p class="soft small note">${whoActivates}</p>`}
<p>${impossible.nothingShared}</p>
<form method="post" action="${base}/oauth/authorize/decision">
<input type="hidden" name="interaction" value="${interaction}">
<div class="actions">
<button type="submit" name="decision" value="deny">${frame.backTo(destination)}</button>
</div>
</form>
${whoDecides(view)}
</div>
`;
  },
);

const because = {
  unknown: 'unknown',
  'not-administered': 'notAdministered',
  closed: 'closed',
  'not-active': 'notActive',
  'no-organization': 'none',
} as const satisfies Record<Impossible['why'], string>;
