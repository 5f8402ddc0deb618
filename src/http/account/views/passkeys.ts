import { markName } from '../../../domain/kernel/sentence.ts';
import { card, day, failure, form, ifWrong, timeOf } from '../../pages/components.ts';
import { markup, say, type Html } from '../../pages/html.ts';
import { type FormView, page } from '../../pages/render.ts';
import { passkeyForm, troubleLine, type PasskeyFormView } from './passkey-form.ts';

export type PasskeyRow = {
  readonly passkeyId: string;
  readonly name: string;
  readonly synced: boolean;
  /** RFC 3339 UTC. */
  readonly addedAt: string;
  /** Null: never. */
  readonly lastUsedAt: string | null;
};

/** `whyNot`: why none can be added, as a sentence; null where one can. */
export type PasskeysView = { readonly rows: readonly PasskeyRow[]; readonly whyNot: string | null };

/** Of the account page; none for users who sign in without a password. */
export const passkeysSection = ({ base, reader }: FormView, { rows, whyNot }: PasskeysView): Html => {
  const { passkeys } = reader.words;
  const row = ({ passkeyId, name, addedAt, lastUsedAt, synced }: PasskeyRow) => {
    const path = `${base}/account/passkeys/${passkeyId}`;
    const used = lastUsedAt ? markup`${passkeys.lastUsed} ${timeOf(reader, lastUsedAt)}` : passkeys.neverUsed;
    return markup`<li class="row">
<div>
<div><strong><bdi>${name}</bdi></strong></div>
<div class="soft small">${passkeys.added} ${day(reader, addedAt)}<br>${used}${synced && markup`<br>${passkeys.synced}`}</div>
</div>
<div><a class="button plain" href="${path}/rename" aria-label="${passkeys.renameOf(name)}">${passkeys.rename}</a> <a class="button danger" href="${path}/remove" aria-label="${passkeys.removeOf(name)}">${passkeys.remove}</a></div>
</li>
`;
  };
  const list =
    rows.length === 0
      ? markup`<p class="soft">${passkeys.none}</p>`
      : markup`<ul class="rows">
${rows.map(row)}
</ul>`;
  const add = whyNot
    ? markup`<p class="soft small">${whyNot}</p>`
    : markup`<div class="actions"><a class="button plain" href="${base}/account/passkeys/new">${passkeys.add}</a></div>`;
  return card(passkeys.title, [list, add], 'passkeys');
};

const nameField = (label: string, name: string, isWrong: boolean, problemId?: string): Html =>
  markup`<label class="field" for="name">${label}</label>
<input type="text" id="name" name="name" value="${name}" maxlength="100" autocomplete="off" required${ifWrong(isWrong, problemId)}>`;

type View = FormView & { readonly passkey: Pick<PasskeyRow, 'passkeyId' | 'name'> };

type RenamePasskeyView = View & {
  readonly name: string;
  readonly problem: string | null;
};

export const renamePasskeyPage = page<RenamePasskeyView>(
  ({ reader: { words } }) => words.passkeys.renameTitle,
  ({ base, csrf, passkey, name, problem, reader }) => {
    const { passkeys } = reader.words;
    const action = `${base}/account/passkeys/${passkey.passkeyId}/rename`;
    return markup`<div class="card">
<h1>${say(passkeys.renameOf(markName(passkey.name)))}</h1>
${failure(problem)}
${form(
  reader,
  { action, csrf, submit: passkeys.rename, cancel: `${base}/account` },
  nameField(passkeys.name, name, problem !== null),
)}
</div>
`;
  },
);

export const removePasskeyPage = page<View>(
  ({ passkey, reader: { words } }) => words.passkeys.removeTitle(passkey.name),
  ({ base, csrf, passkey, reader }) => {
    const { passkeys, frame } = reader.words;
    const action = `${base}/account/passkeys/${passkey.passkeyId}/remove`;
    const ways = { submit: passkeys.remove, isEnd: true, cancel: `${base}/account`, leave: frame.keep };
    return markup`<div class="card">
<h1>${say(passkeys.removeTitle(markName(passkey.name)))}</h1>
<ul>${passkeys.removeEffects.map((effect) => markup`<li>${effect}</li>`)}</ul>
${form(reader, { action, csrf, ...ways }, null)}
</div>
`;
  },
);

type AddPasskeyView = PasskeyFormView &
  FormView & {
    readonly name: string;
    /** Whether the name is what is wrong. */
    readonly nameIsWrong: boolean;
  };

export const addPasskeyPage = page<AddPasskeyView>(
  ({ reader: { words } }) => words.passkeys.addTitle,
  (view) => {
    const { base, csrf, name, nameIsWrong } = view;
    const { passkeys, frame } = view.reader.words;
    const content = markup`<input type="hidden" name="csrf" value="${csrf}">
${nameField(passkeys.name, name, nameIsWrong, 'trouble')}
<p class="soft small">${passkeys.nameHow}</p>
<div class="actions"><button type="submit" disabled>${passkeys.add}</button> <a class="button plain" href="${base}/account">${frame.cancel}</a></div>`;
    return markup`<div class="card">
<h1>${passkeys.addTitle}</h1>
<p>${passkeys.addHow}</p>
${troubleLine(view)}
${passkeyForm(view, { kind: 'add', action: '/account/passkeys/new' }, content)}
</div>
`;
  },
);
