import { passkeyForm, troubleLine, type PasskeyFormView } from '../../account/views/passkey-form.ts';
import { form } from '../../pages/components.ts';
import { brandView, type BrandView } from '../../pages/brand-view.ts';
import { markup, say, stress, trusted, type Html, type Part } from '../../pages/html.ts';
import { type FormView, type Localized, page } from '../../pages/render.ts';
import { markName } from '../../../domain/kernel/sentence.ts';

export type SignInView = Localized & {
  readonly base: string;
  readonly brand?: BrandView;
  /** The signed interaction; it also proves that the form is ours and belongs to this browser. */
  readonly interaction: string;
  /** Whether there is a form for an e-mail address and a password. */
  readonly local: boolean;
  /** `logo` is a `data:` address. */
  readonly providers: readonly { readonly id: string; readonly name: string; readonly logo?: string }[];
  /** Whether to offer a sign-in with a passkey, which has a page of its own: this one needs no script. */
  readonly passkeys: boolean;
  /** Unverified: how this browser signed in last (`SignInWay`); that way is the first. */
  readonly lastWay: string;
  readonly addonName: string | null;
  /** Of the add-on, as a `data:` address; null without. */
  readonly addonLogo?: string | null;
  readonly email: string;
  readonly failed: boolean;
  /** The user is signed in, and has to confirm it before a change of the account. */
  readonly again?: boolean;
  /** Seconds to wait after too many attempts; the password of this attempt was not checked. */
  readonly wait?: number;
  /** The signed-in user, when the add-on asks for another one (`id_token_hint`). */
  readonly notSignedInAs: string | null;
};

export const signInPage = page<SignInView>(
  ({ failed, reader: { words } }) => (failed ? words.signIn.failed : words.signIn.title),
  (view) => {
    const { addonName, notSignedInAs, reader, brand = brandView(null) } = view;
    const { signIn } = reader.words;
    return markup`<div class="card stretch">
${logoOf(view)}
<h1>${say(signIn.titleTo(markName(brand.name)))}</h1>
${continueTo(view)}
${view.again && markup`<p class="notice">${signIn.again}</p>`}
${notSignedInAs && markup`<p class="notice">${stress(signIn.anotherAccount(markName(notSignedInAs), markName(addonName ?? '')))}</p>`}
${view.failed && markup`<p class="alert" role="alert" id="failed">${view.wait ? signIn.tooMany(view.wait) : signIn.wrong}</p>`}
${waysOf(view)}
</div>
`;
  },
);

const logoOf = ({ addonLogo }: Pick<SignInView, 'addonLogo'>): Part =>
  addonLogo && markup`<p><img class="logo" src="${addonLogo}" alt="" width="48" height="48"></p>`;

const continueTo = ({ addonName, reader: { words } }: Pick<SignInView, 'addonName' | 'reader'>): Part =>
  addonName && markup`<p class="soft">${stress(words.signIn.toContinueTo(markName(addonName)))}</p>`;

/** After a failure the field that is to be filled in again has the focus. */
const passwordForm = (
  { base, interaction, email, failed, reader: { words } }: SignInView,
  plain: string | false,
): Html => {
  const { signIn } = words;
  const wrong = (hasFocus: boolean) =>
    failed && markup` aria-invalid="true" aria-describedby="failed"${hasFocus && trusted(' autofocus')}`;
  return markup`<form method="post" action="${base}/sign-in">
<input type="hidden" name="interaction" value="${interaction}">
<label class="field" for="email">${signIn.email}</label>
<input type="email" id="email" name="email" value="${email}" autocomplete="username" maxlength="254" required${wrong(email === '')}>
<label class="field" for="password">${signIn.password}</label>
<input type="password" id="password" name="password" autocomplete="current-password" maxlength="1024" required${wrong(email !== '')}>
<div class="actions"><button type="submit" class="button${plain}">${signIn.submit}</button> <a href="${base}/forgot-password?interaction=${interaction}">${signIn.forgot}</a></div>
</form>
`;
};

/** The way of last time first, and a line between it and the others. */
const waysOf = (view: SignInView): Part => {
  const { base, interaction, local, passkeys, providers, lastWay, failed, reader } = view;
  const { signIn } = reader.words;
  const plain = (isFirst: boolean) => !isFirst && local && ' plain';
  const ways = [
    local && { name: 'password', part: (isFirst: boolean) => passwordForm(view, plain(isFirst)) },
    passkeys && {
      name: 'passkey',
      part: (isFirst: boolean) =>
        markup`<p class="note"><a class="button${plain(isFirst)}" href="${base}/sign-in/passkey?interaction=${interaction}">${signIn.withPasskey}</a></p>
`,
    },
    ...providers.map(({ id, name, logo }) => ({
      name: `with ${id}`,
      part: (isFirst: boolean) => markup`<form class="note" method="post" action="${base}/sign-in/with/${id}">
<input type="hidden" name="interaction" value="${interaction}">
<button type="submit" class="button${plain(isFirst)}">${logo && markup`<img class="mark" src="${logo}" alt="" width="20" height="20"> `}${signIn.withProvider(name)}</button>
</form>
`,
    })),
  ].filter((way) => way !== false);
  // What is to be corrected stays where it was.
  const last = failed ? undefined : ways.find(({ name }) => name === lastWay);
  const first = last ?? ways[0];
  const others = ways.filter((way) => way !== first);
  return [
    first?.part(true),
    local && others.length > 0 && markup`<p class="soft note">${signIn.or}</p>`,
    others.map(({ part }) => part(false)),
  ];
};

type PasskeySignInView = PasskeyFormView &
  Pick<SignInView, 'addonName' | 'addonLogo'> & {
    readonly interaction: string;
    /** Where to sign in with a password instead: a path under `base`. */
    readonly back: string;
  };

export const passkeySignInPage = page<PasskeySignInView>(
  ({ reader: { words } }) => words.signIn.passkeyTitle,
  (view) => {
    const { signIn } = view.reader.words;
    const content = markup`<input type="hidden" name="interaction" value="${view.interaction}">
<div class="actions"><button type="submit" disabled>${signIn.usePasskey}</button> <a class="button plain" href="${view.base}${view.back}">${signIn.usePassword}</a></div>`;
    return markup`<div class="card">
${logoOf(view)}
<h1>${signIn.passkeyTitle}</h1>
${continueTo(view)}
${troubleLine(view)}
<p>${signIn.passkeyHow}</p>
${passkeyForm(view, { kind: 'use', action: '/sign-in/passkey' }, content)}
</div>
`;
  },
);

export const signOutPage = page<FormView>(
  ({ reader: { words } }) => words.signOut.title,
  ({ base, csrf, signedIn, reader }) => {
    const { frame, signOut } = reader.words;
    const ways = { submit: frame.signOut, cancel: `${base}/admin`, leave: frame.stay };
    return markup`<div class="card">
<h1>${signOut.title}</h1>
<p>${stress(frame.signedInAs(markName(signedIn)))} ${frame.addonsKeepWorking}</p>
${form(reader, { action: `${base}/sign-out`, csrf, ...ways }, null)}
</div>
`;
  },
);
