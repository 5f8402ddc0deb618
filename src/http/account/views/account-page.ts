import { markName } from '../../../domain/kernel/sentence.ts';
import {
  alert,
  badge,
  card,
  form,
  nameOf,
  notice,
  onTime,
  shortTime,
  timeOf,
} from '../../pages/components.ts';
import { lead, list, type ListColumn, menuColumn } from '../../pages/list.ts';
import { markup, say, stress, type Html, type Part } from '../../pages/html.ts';
import { type FormView, page } from '../../pages/render.ts';
import type { Reader } from '../../words/reader.ts';
import type { AllowedAddon } from '../allowed-addons.ts';
import { passkeysSection, type PasskeysView } from './passkeys.ts';
import { tokensSection, type TokenRow } from './tokens.ts';
import { access } from '../../words/access.ts';

/** The `problem` parameter after a form was sent with an expired session. */
export const sessionEnded = 'session-ended';

export type SessionRow = {
  readonly sessionId: string;
  /** Null where it is not known. */
  readonly device: string | null;
  readonly network: string | null;
  /** RFC 3339 UTC. */
  readonly startedAt: string;
  readonly lastSeenAt: string;
  readonly isThis: boolean;
  readonly live: boolean;
};

export type AccountView = FormView & {
  readonly email: string;
  readonly addons: readonly AllowedAddon[];
  readonly withdrawn: string | null;
  readonly revoked: boolean;
  readonly ended: 'one' | 'others' | null;
  readonly sessions: { readonly live: readonly SessionRow[]; readonly latest: readonly SessionRow[] };
  /** When the password was last set, RFC 3339 UTC; null where there is none. */
  readonly passwordSetAt: string | null;
  readonly passwordChanged: boolean;
  /** Null for users who have none, and cannot have any. */
  readonly passkeys: PasskeysView | null;
  readonly passkeyAdded: boolean;
  readonly passkeyRemoved: boolean;
  /** Of the times that are shown; null: the browser's. */
  readonly timeZone: string | null;
  /** Whether the last form was not processed, because the session had ended. */
  readonly problem: string | null;
  readonly tokens: readonly TokenRow[];
  readonly administers: boolean;
  /** Whether the user has several roles, so that one of them can be the start page. */
  readonly hasHomes: boolean;
};

const titleOf = (view: AccountView): string => {
  const { account } = view.reader.words;
  if (view.problem) return account.title;
  const done = [
    view.withdrawn ? account.withdrawnTitle : '',
    view.revoked ? account.revokedTitle : '',
    view.ended ? account.endedTitle : '',
    view.passwordChanged ? account.changedTitle : '',
    view.passkeyAdded ? account.addedTitle : '',
    view.passkeyRemoved ? account.removedTitle : '',
  ].find((text) => text !== '');
  return `${done ?? ''}${account.title}`;
};

export const accountPage = page<AccountView>(titleOf, (view) => {
  const { base, problem, passkeys, administers, hasHomes } = view;
  const { account } = view.reader.words;
  return markup`<h1>${account.title}</h1>
${problem && alert(problem)}
${doneIn(view)}
${youSection(view)}
${passkeys && passkeysSection(view, passkeys)}
${addonsSection(view)}
${(administers || view.tokens.length > 0) && tokensSection(view)}
${sessionsSection(view)}
<p class="soft small">${account.onlyOwn}</p>
${(administers || hasHomes) && markup`<p class="small links">${administers && markup`<a href="${base}/admin">${account.yourOrganizations}</a> `}${hasHomes && markup`<a href="${base}/?choose">${account.chooseHome}</a>`}</p>`}
`;
});

const doneIn = (view: AccountView): Part => {
  const { account } = view.reader.words;
  return [
    view.withdrawn && notice(stress(account.withdrawn(markName(view.withdrawn)))),
    view.revoked && notice(account.revoked),
    view.passwordChanged && notice(account.passwordChanged),
    view.passkeyAdded && notice(account.passkeyAdded),
    view.passkeyRemoved && notice(account.passkeyRemoved),
    view.ended && notice(view.ended === 'one' ? account.oneEnded : account.othersEnded),
  ];
};

const youSection = ({ base, csrf, reader, ...view }: AccountView): Html => {
  const { account, frame, name, preferences } = reader.words;
  return card(
    account.signedInAs,
    markup`<div class="row">
<div><strong><bdi>${view.signedIn}</bdi></strong> <span class="soft"><bdi>${view.email}</bdi></span></div>
<form method="post" action="${base}/sign-out">
<input type="hidden" name="csrf" value="${csrf}">
<input type="hidden" name="return_to" value="/account">
<button type="submit" class="link">${frame.notYou}</button>
</form>
</div>
${
  view.passwordSetAt &&
  markup`<div class="row">
<div><strong>${account.password}</strong> <span class="soft small">${account.lastChanged} ${onTime(reader, view.passwordSetAt)}</span></div>
<a class="button plain" href="${base}/account/password">${account.changePassword}</a>
</div>`
}
<div class="row">
<div><strong>${account.language}</strong> <span class="soft small">${name}, ${view.timeZone ?? preferences.browserZone}</span></div>
<a class="button plain" href="${base}/account/language">${account.changeLanguage}</a>
</div>`,
    'you',
  );
};

const addonsSection = ({ base, reader, addons }: AccountView): Html => {
  const { account } = reader.words;
  const columns: readonly ListColumn<AllowedAddon>[] = [
    {
      label: reader.words.admin.addon,
      cell: (addon) =>
        lead({
          name: nameOf(addon.name),
          initial: addon.name,
          second: addon.scopes.length === 0 ? account.noAccess : account.sees(scopesOf(reader, addon)),
        }),
    },
    { label: account.allowedSince, from: 'm', cell: ({ allowedAt }) => shortTime(reader, allowedAt) },
    { label: account.lastUse, from: 'm', cell: (addon) => useOf(reader, addon) },
    {
      label: account.state,
      as: 'state',
      cell: ({ suspended, retired }) => [
        suspended && badge('stop', account.suspended),
        retired && badge('stop', account.retired),
      ],
    },
    menuColumn(
      reader,
      ({ name }) => name,
      ({ addonId, name }) => [
        markup`<a class="wrong" href="${base}/account/addons/${addonId}/withdraw" aria-label="${account.withdrawOf(name)}">${account.withdraw}</a>`,
      ],
    ),
  ];
  const content =
    addons.length === 0
      ? markup`<p class="soft">${account.noAddons}</p>`
      : list(account.addons, columns, addons);
  return card(account.addons, content, 'addons');
};

const scopesOf = (reader: Reader, { scopes }: AllowedAddon): string =>
  access(reader, scopes, { person: 'reader' });

const useOf = (reader: Reader, { renewedAt, firstTokenAt }: AllowedAddon): Part => {
  const at = renewedAt ?? firstTokenAt;
  return at ? shortTime(reader, at) : reader.words.account.neverUsed;
};

/** Where the user is signed in, and the latest sign-ins. */
const sessionsSection = ({ base, csrf, reader, sessions: { live, latest } }: AccountView): Html => {
  const { sessions } = reader.words;
  const deviceOf = ({ device }: SessionRow) => {
    const [browser = '', system] = (device ?? sessions.unknownDevice).split(' on ');
    return system === undefined ? browser : sessions.deviceOn(browser, system);
  };
  const end = ({ sessionId, device, startedAt }: SessionRow) =>
    markup`<form method="post" action="${base}/account/sessions/${sessionId}/end">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit" aria-label="${sessions.endOf(device, reader.momentOf(startedAt))}">${sessions.end}</button>
</form>`;
  const columns: readonly ListColumn<SessionRow>[] = [
    {
      label: sessions.device,
      cell: (one) =>
        lead({ name: markup`<strong>${deviceOf(one)}</strong>`, second: one.network && nameOf(one.network) }),
    },
    { label: sessions.signedIn, from: 'm', cell: ({ startedAt }) => shortTime(reader, startedAt) },
    { label: sessions.lastSeen, from: 'm', cell: ({ lastSeenAt }) => shortTime(reader, lastSeenAt) },
    {
      label: reader.words.account.state,
      as: 'state',
      cell: ({ isThis }) => isThis && badge('good', sessions.thisOne),
    },
    menuColumn(reader, deviceOf, (one) => (one.isThis ? [] : [end(one)])),
  ];
  const line = (one: SessionRow) =>
    markup`<li class="small">${timeOf(reader, one.startedAt)}: ${deviceOf(one)}${one.network && markup`, <bdi>${one.network}</bdi>`}${!one.live && markup` <span class="soft">${sessions.ended}</span>`}</li>
`;
  const endOthers = markup`<form method="post" action="${base}/account/sessions/end-others">
<input type="hidden" name="csrf" value="${csrf}">
<button type="submit" class="danger">${sessions.endOthers}</button>
</form>`;
  return card(
    sessions.title,
    markup`${list(sessions.title, columns, live)}
<h3 id="sign-ins">${sessions.latest}</h3>
<ul class="rows" aria-labelledby="sign-ins">
${latest.map(line)}
</ul>`,
    'sessions',
    live.length > 1 ? [endOthers] : [],
  );
};

type WithdrawView = FormView & { readonly addon: AllowedAddon };

export const withdrawPage = page<WithdrawView>(
  ({ addon, reader: { words } }) => words.account.withdrawTitle(addon.name),
  ({ base, csrf, addon, reader }) => {
    const { account, frame } = reader.words;
    const name = markName(addon.name);
    const action = `${base}/account/addons/${addon.addonId}/withdraw`;
    const ways = { submit: account.withdraw, isEnd: true, cancel: `${base}/account`, leave: frame.keep };
    return markup`<div class="card">
<h1>${say(account.withdrawTitle(name))}</h1>
<p>${stress(account.withdrawWhat(name, scopesOf(reader, addon) || null))}</p>
<ul>${account.withdrawEffects.map((effect) => markup`<li>${effect}</li>`)}</ul>
${form(reader, { action, csrf, ...ways }, null)}
</div>
`;
  },
);
