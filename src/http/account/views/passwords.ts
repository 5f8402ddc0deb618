import { markName } from '../../../domain/kernel/sentence.ts';
import { failure, form, ifWrong, onTime } from '../../pages/components.ts';
import { markup, say, stress, type Html } from '../../pages/html.ts';
import { type FormView, type Localized, page } from '../../pages/render.ts';
import type { Words } from '../../../common/words.ts';

export type PasswordProblem = {
  readonly field: 'present' | 'password' | 'again';
  readonly message: string;
};

/** For password managers: whose password it is. */
const whose = (email: string, { signIn }: Words): Html =>
  markup`<input type="text" name="username" value="${email}" autocomplete="username" aria-label="${signIn.email}" readonly hidden>`;

const newPasswordFields = (problem: PasswordProblem | null, { passwords }: Words): Html =>
  markup`<label class="field" for="password">${passwords.fresh}</label>
<input type="password" id="password" name="password" autocomplete="new-password" minlength="8" maxlength="1024" required${ifWrong(problem?.field === 'password')}>
<p class="soft small">${passwords.length}</p>
<label class="field" for="again">${passwords.again}</label>
<input type="password" id="again" name="again" autocomplete="new-password" maxlength="1024" required${ifWrong(problem?.field === 'again')}>`;

export type ChangePasswordView = FormView & {
  readonly email: string;
  /** When the password was last set, RFC 3339 UTC; null where there is none. */
  readonly setAt: string | null;
  readonly problem: PasswordProblem | null;
};

export const changePasswordPage = page<ChangePasswordView>(
  ({ reader: { words } }) => words.passwords.changeTitle,
  ({ base, csrf, email, setAt, problem, reader }) => {
    const { words } = reader;
    const { passwords, account } = words;
    const ways = { submit: passwords.change, cancel: `${base}/account` };
    return markup`<div class="card">
<h1>${passwords.changeTitle}</h1>
<p class="soft">${setAt && markup`${account.lastChanged} ${onTime(reader, setAt)}. `}${passwords.changeEffect}</p>
${failure(problem?.message)}
${form(
  reader,
  { action: `${base}/account/password`, csrf, ...ways },
  markup`${whose(email, words)}
<label class="field" for="present">${passwords.present}</label>
<input type="password" id="present" name="present" autocomplete="current-password" maxlength="1024" required${ifWrong(problem?.field === 'present')}>
${newPasswordFields(problem, words)}`,
)}
</div>
`;
  },
);

type ChoosePasswordView = Localized & {
  readonly base: string;
  readonly link: string;
  readonly email: string;
  /** Names of the providers with which the account is signed in to, too. */
  readonly providers: readonly string[];
  readonly problem: PasswordProblem | null;
};

export const choosePasswordPage = page<ChoosePasswordView>(
  ({ reader: { words } }) => words.passwords.chooseTitle,
  ({ base, link, email, providers, problem, reader: { words } }) => {
    const { passwords } = words;
    return markup`<div class="card">
<h1>${passwords.chooseTitle}</h1>
<p class="soft">${stress(passwords.chooseFor(markName(email)))}</p>
${failure(problem?.message)}
<form method="post" action="${base}/choose-password">
<input type="hidden" name="link" value="${link}">
${whose(email, words)}
${newPasswordFields(problem, words)}
${
  providers.length > 0 &&
  markup`<p><label><input type="checkbox" name="keep_identities" value="yes"> ${say(passwords.keepProviders(markName(providers.join(', '))))}</label></p>
<p class="soft small">${passwords.keepWhy}</p>`
}
<div class="actions"><button type="submit">${passwords.save}</button></div>
</form>
</div>
`;
  },
);

type ForgotPasswordView = Localized & {
  readonly base: string;
  /** The signed interaction, as on the sign-in page. */
  readonly interaction: string;
  /** Where it leads back to: a path under `base`. */
  readonly back: string;
  readonly email: string;
  readonly problem: string | null;
};

export const forgotPasswordPage = page<ForgotPasswordView>(
  ({ reader: { words } }) => words.forgot.title,
  ({ base, interaction, back, email, problem, reader: { words } }) => {
    const { forgot, signIn } = words;
    return markup`<div class="card">
<h1>${forgot.title}</h1>
<p class="soft">${forgot.how}</p>
${failure(problem)}
<form method="post" action="${base}/forgot-password">
<input type="hidden" name="interaction" value="${interaction}">
<label class="field" for="email">${signIn.email}</label>
<input type="email" id="email" name="email" value="${email}" autocomplete="username" maxlength="254" required${ifWrong(Boolean(problem))}>
<div class="actions"><button type="submit">${forgot.submit}</button> <a class="button plain" href="${base}${back}">${forgot.back}</a></div>
</form>
</div>
`;
  },
);
