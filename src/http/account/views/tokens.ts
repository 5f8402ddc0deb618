import { tokenDays } from '../../../domain/people/administrator-token.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { badge, card, failure, form, ifWrong, nameOf, notice, shortTime } from '../../pages/components.ts';
import { lead, list, type ListColumn, menuColumn } from '../../pages/list.ts';
import { markup, say, stress, trusted, type Html, type Part } from '../../pages/html.ts';
import { type FormView, type PageView, page } from '../../pages/render.ts';
import type { Reader } from '../../words/reader.ts';

export type TokenRow = {
  readonly tokenId: string;
  readonly name: string;
  /** RFC 3339 UTC. */
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** The organization that the token is limited to; null for one that is for all organizations of the user. */
  readonly organizationName: string | null;
  /** Until when it has the rights that a provider's claim gave: RFC 3339 UTC, or `ended`; null where there are none. */
  readonly providerRights: string | null;
  /** Who else made it; null where the user did, or where it was not recorded. */
  readonly maker: string | null;
  readonly isMadeWithToken: boolean;
};

type TokensView = FormView & { readonly tokens: readonly TokenRow[]; readonly administers: boolean };

/** Of the account page, for users who administer an organization or still have a token. */
export const tokensSection = ({ base, reader, tokens: rows, administers }: TokensView): Html => {
  const { tokens } = reader.words;
  const columns: readonly ListColumn<TokenRow>[] = [
    {
      label: tokens.name,
      cell: (token) => lead({ name: nameOf(token.name), second: [whose(token), originOf(reader, token)] }),
    },
    { label: tokens.made, from: 'm', cell: ({ issuedAt }) => shortTime(reader, issuedAt) },
    { label: tokens.expires, from: 'm', cell: ({ expiresAt }) => shortTime(reader, expiresAt) },
    {
      label: reader.words.account.state,
      as: 'state',
      cell: ({ providerRights: rights }) =>
        rights !== null &&
        (rights === 'ended'
          ? badge('wait', reader.words.values.paused)
          : markup`<span class="soft small">${tokens.rightsUntil(reader.dayOf(rights))}</span>`),
    },
    menuColumn(
      reader,
      ({ name }) => name,
      ({ tokenId, name }) => [
        markup`<a class="wrong" href="${base}/account/tokens/${tokenId}/revoke" aria-label="${tokens.revokeOf(name)}">${tokens.revoke}</a>`,
      ],
    ),
  ];
  const whose = ({ organizationName: name }: TokenRow) =>
    say(name === null ? tokens.forAll : tokens.forOne(markName(name)));
  return card(
    tokens.title,
    markup`<p class="soft small">${tokens.what}</p>
${rows.length > 0 && list(tokens.title, columns, rows)}${rows.some(({ providerRights }) => providerRights === 'ended') && markup`<p class="soft small note">${tokens.rightsPaused}.</p>`}`,
    'tokens',
    administers
      ? [markup`<a class="button plain" href="${base}/account/tokens/new">${tokens.create}</a>`]
      : [],
  );
};

const originOf = ({ words: { tokens } }: Reader, { maker, isMadeWithToken }: TokenRow): Part => [
  maker !== null && [' · ', say(tokens.madeFor(markName(maker)))],
  isMadeWithToken && [' · ', tokens.madeWith],
];

export type TokenFormProblem = {
  readonly field: 'name' | 'organization' | 'days';
  readonly message: string;
};

type NewTokenView = FormView & {
  readonly organizations: readonly { readonly organizationId: string; readonly name: string }[];
  readonly name: string;
  /** An organization id, or `all`. */
  readonly organization: string;
  readonly days: string;
  readonly problem: TokenFormProblem | null;
};

export const newTokenPage = page<NewTokenView>(
  ({ reader: { words } }) => words.tokens.createTitle,
  ({ base, csrf, problem, reader, ...view }) => {
    const { tokens } = reader.words;
    const { least, most } = tokenDays;
    const wrong = (field: TokenFormProblem['field']) => ifWrong(problem?.field === field);
    const selected = (id: string) => view.organization === id && trusted(' selected');
    const fields = markup`<label class="field" for="name">${tokens.name}</label>
<input type="text" id="name" name="name" value="${view.name}" maxlength="100" autocomplete="off" required${wrong('name')}>
<p class="soft small">${tokens.nameHow}</p>
<label class="field" for="organization">${tokens.organization}</label>
<select id="organization" name="organization"${wrong('organization')}>
${view.organizations.map(({ organizationId, name }) => markup`<option value="${organizationId}"${selected(organizationId)}>${name}</option>`)}
<option value="all"${selected('all')}>${tokens.all}</option>
</select>
<label class="field" for="days">${tokens.days}</label>
<input type="number" id="days" name="days" value="${view.days}" min="${least}" max="${most}" autocomplete="off" required${wrong('days')}>
<p class="soft small">${tokens.daysRange(least, most)}</p>`;
    const ways = { submit: tokens.create, cancel: `${base}/account` };
    return markup`<div class="card">
<h1>${tokens.createTitle}</h1>
<p class="soft">${tokens.createHow}</p>
${failure(problem?.message)}
${form(reader, { action: `${base}/account/tokens/new`, csrf, ...ways }, fields)}
</div>
`;
  },
);

type TokenMadeView = PageView & {
  readonly name: string;
  /** RFC 3339 UTC. */
  readonly expiresAt: string;
  readonly token: string;
};

/** The only page that ever shows the token. */
export const tokenMadePage = page<TokenMadeView>(
  ({ reader: { words } }) => words.tokens.copyTitle,
  ({ base, name, token, expiresAt, reader: { words, dayOf } }) => {
    const { tokens, frame } = words;
    return markup`<div class="card">
<h1>${say(tokens.yours(markName(name)))}</h1>
${notice(tokens.copyNow)}
<p><code class="whole">${token}</code></p>
<p class="soft">${tokens.expiresAt(dayOf(expiresAt))}</p>
<p class="soft small">${tokens.pauses}</p>
<p class="soft small"><a href="${base}/docs#/Add-ons%20of%20an%20organization">${tokens.howSent}</a>: <code>Authorization: Bearer …</code></p>
<div class="actions"><a class="button plain" href="${base}/account">${frame.account}</a></div>
</div>
`;
  },
);

type RevokeTokenView = FormView & { readonly token: TokenRow };

export const revokeTokenPage = page<RevokeTokenView>(
  ({ token, reader: { words } }) => words.tokens.revokeTitle(token.name),
  ({ base, csrf, token, reader }) => {
    const { tokens, frame } = reader.words;
    const name = markName(token.name);
    const action = `${base}/account/tokens/${token.tokenId}/revoke`;
    const ways = { submit: tokens.revoke, isEnd: true, cancel: `${base}/account`, leave: frame.keep };
    return markup`<div class="card">
<h1>${say(tokens.revokeTitle(name))}</h1>
<p>${stress(tokens.revokeWhat(name))}</p>
<ul>${tokens.revokeEffects.map((effect) => markup`<li>${effect}</li>`)}</ul>
${form(reader, { action, csrf, ...ways }, null)}
</div>
`;
  },
);
