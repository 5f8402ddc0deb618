import { markName } from '../../../../domain/kernel/sentence.ts';
import { alert } from '../../../pages/components.ts';
import { markup, stress } from '../../../pages/html.ts';
import { type Localized, page } from '../../../pages/render.ts';

export type LogoutView = Localized & {
  readonly base: string;
  /** Null if no user is signed in: then there is nothing to confirm. */
  readonly signedIn: string | null;
  readonly interaction: string | null;
  readonly addonName: string | null;
  readonly problem: string | null;
  readonly back: { readonly href: string; readonly destination: string } | null;
};

export const logoutPage = page<LogoutView>(
  ({ signedIn, reader: { words } }) => (signedIn === null ? words.signOut.done : words.signOut.question),
  (view) => {
    const { frame, signOut } = view.reader.words;
    const title = view.signedIn === null ? signOut.done : signOut.question;
    return markup`<div class="card">
<h1>${title}</h1>
${
  view.problem &&
  markup`${alert(signOut.mistake)}
<p class="soft small">${frame.forDeveloper} <code>${view.problem}</code></p>`
}
${view.signedIn ? question(view, view.signedIn) : done(view)}
</div>
`;
  },
);

const question = ({ base, interaction, addonName, back, reader: { words } }: LogoutView, name: string) => {
  const { frame, signOut } = words;
  return markup`<p>${addonName && markup`${stress(signOut.askedBy(markName(addonName)))} `}${stress(frame.signedInAs(markName(name)))} ${frame.addonsKeepWorking}</p>
${back && markup`<p class="soft small note">${stress(signOut.sentTo(markName(back.destination)))}</p>`}
<form method="post" action="${base}/oauth/logout/confirm">
<input type="hidden" name="interaction" value="${interaction}">
<div class="actions"><button type="submit">${frame.signOut}</button> <a class="button plain" href="${base}/admin">${frame.stay}</a></div>
</form>`;
};

const done = ({ base, back, reader: { words } }: LogoutView) =>
  markup`<p>${words.frame.addonsKeepWorking}</p>
<div class="actions">${back && markup`<a class="button" href="${back.href}">${words.frame.continueTo(back.destination)}</a>`} <a class="button plain" href="${base}/sign-in">${words.frame.signIn}</a></div>`;
