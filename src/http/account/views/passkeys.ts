import { markName } from '../../../domain/kernel/sentence.ts';
import { card, failure, form, ifWrong, nameOf, shortTime } from '../../pages/components.ts';
import { lead, list, type ListColumn, menuColumn } from '../../pages/list.ts';
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
  const ways = ({ passkeyId, name }: PasskeyRow) => {
    const path = `${base}/account/passkeys/${passkeyId}`;
    return [
      markup`<a href="${path}/rename" aria-label="${passkeys.renameOf(name)}">${passkeys.rename}</a>`,
      markup`<a class="wrong" href="${path}/remove" aria-label="${passkeys.removeOf(name)}">${passkeys.remove}</a>`,
    ];
  };
  const columns: readonly ListColumn<PasskeyRow>[] = [
    {
      label: passkeys.name,
      cell: ({ name, synced }) => lead({ name: nameOf(name), second: synced ? passkeys.synced : null }),
    },
    { label: passkeys.added, from: 'm', cell: ({ addedAt }) => shortTime(reader, addedAt) },
    {
      label: passkeys.lastUsed,
      from: 'm',
      cell: ({ lastUsedAt }) => (lastUsedAt ? shortTime(reader, lastUsedAt) : passkeys.neverUsed),
    },
    menuColumn(reader, ({ name }) => name, ways),
  ];
  const content =
    rows.length === 0 ? markup`<p class="soft">${passkeys.none}</p>` : list(passkeys.title, columns, rows);
  return card(
    passkeys.title,
    [content, whyNot && markup`<p class="soft small">${whyNot}</p>`],
    'passkeys',
    whyNot ? [] : [markup`<a class="button plain" href="${base}/account/passkeys/new">${passkeys.add}</a>`],
  );
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
