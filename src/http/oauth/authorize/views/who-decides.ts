import { markName } from '../../../../domain/kernel/sentence.ts';
import { markup, stress, type Html } from '../../../pages/html.ts';
import type { Localized } from '../../../pages/render.ts';

type Asked = Localized & {
  readonly base: string;
  readonly interaction: string;
  readonly signedIn: string;
  readonly email: string;
  /** False when the add-on asks for this very user: another user's answer would not count. */
  readonly mayBeAnother: boolean;
};

/** Of a page that asks a user: who is signed in, and the way to another user. */
export const whoDecides = ({ base, interaction, reader: { words }, ...who }: Asked): Html =>
  markup`<div class="whoami">
<p class="small">${stress(words.approve.signedInAs(markName(who.signedIn)))} <span class="soft">(<bdi>${who.email}</bdi>)</span></p>
${
  who.mayBeAnother &&
  markup`<form method="post" action="${base}/oauth/authorize/another-user">
<input type="hidden" name="interaction" value="${interaction}">
<button type="submit" class="link">${words.frame.notYou}</button>
</form>`
}
</div>`;
