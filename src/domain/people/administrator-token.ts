import { english } from '../../common/words.ts';
import { accept, type Decider, type Decision, type Instant, refuse } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import type { administratorTokenEvents } from './events.ts';
import type { Role } from './account.ts';

export type AdministratorTokenEvent = EventsIn<typeof administratorTokenEvents>;

export type AdministratorToken = Omit<
  DataIn<typeof administratorTokenEvents, 'AdministratorTokenIssued'>,
  'userId' | 'at'
> & { readonly issuedAt: Instant };

export type AdministratorTokens = {
  /** Without revoked tokens, and without those that had expired when the newest was issued. */
  readonly tokens: readonly AdministratorToken[];
  /** The tokens issued within 24 hours up to the newest one, revoked ones included, by their time of issue. */
  readonly recentlyIssued: readonly Instant[];
};

const day = 86_400_000;

export const administratorTokenDecider: Decider<AdministratorTokens, AdministratorTokenEvent> = {
  initial: { tokens: [], recentlyIssued: [] },
  evolve: ({ tokens, recentlyIssued }, event) => {
    switch (event.type) {
      case 'AdministratorTokenIssued': {
        const { userId: _, at: issuedAt, ...token } = event.data;
        return {
          tokens: [...tokens.filter(({ expiresAt }) => issuedAt < expiresAt), { ...token, issuedAt }],
          recentlyIssued: [...recentlyIssued.filter((at) => issuedAt < at + day), issuedAt],
        };
      }
      case 'AdministratorTokenRevoked':
        return { tokens: tokens.filter(({ tokenId }) => tokenId !== event.data.tokenId), recentlyIssued };
    }
  },
};

/** What ends tokens besides a revocation: time, another password, disabling the account. The log's order decides which. */
export type Moment = { readonly now: Instant; readonly ended: ReadonlySet<string> };

/** The tokens that are valid at this moment, oldest first. */
export const livingTokens = (
  { tokens }: AdministratorTokens,
  { now, ended }: Moment,
): readonly AdministratorToken[] =>
  tokens.filter(({ tokenId, expiresAt }) => now < expiresAt && !ended.has(tokenId));

/** How many tokens a user may have at once: enough for all their programs, few enough for a person to check. */
export const tokensAllowed = 20;

/** Each use of a token reads the user's whole stream, so nobody may fill it by issuing and revoking. */
export const tokensADay = 50;

/** Lifetimes in days: one has to be chosen, and there is no unlimited one. */
export const tokenDays = { least: 1, most: 365, usual: 30 } as const;

/** What is wrong with a lifetime, or null. */
export const daysProblem = (days: number): string | null =>
  Number.isInteger(days) && days >= tokenDays.least && days <= tokenDays.most
    ? null
    : english.problems.whole(tokenDays.least, tokenDays.most);

export type IssueTokenRefusal = 'name-taken' | 'too-many-tokens' | 'too-many-tokens-today';

/** Valid tokens of a user have different names: their list is readable, and a form sent twice makes one. Repeatable. */
export const issueAdministratorToken = (
  state: AdministratorTokens,
  {
    userId,
    token,
    ended,
  }: {
    readonly userId: string;
    readonly token: AdministratorToken;
  } & Pick<Moment, 'ended'>,
): Decision<AdministratorTokenEvent, IssueTokenRefusal> => {
  if (state.tokens.some(({ tokenId }) => tokenId === token.tokenId)) return accept();
  const { issuedAt, ...rest } = token;
  const living = livingTokens(state, { now: issuedAt, ended });
  if (living.some(({ name }) => name === token.name)) return refuse('name-taken');
  if (living.length >= tokensAllowed) return refuse('too-many-tokens');
  if (state.recentlyIssued.filter((at) => issuedAt < at + day).length >= tokensADay)
    return refuse('too-many-tokens-today');
  return accept({ type: 'AdministratorTokenIssued', data: { userId, ...rest, at: issuedAt } });
};

/** Permanently ends a token. A token that has ended, or never existed, is unknown. */
export const revokeAdministratorToken = (
  tokens: AdministratorTokens,
  { tokenId, now, ended }: Moment & { readonly tokenId: string },
): Decision<AdministratorTokenEvent, 'token-unknown'> =>
  livingTokens(tokens, { now, ended }).some((token) => token.tokenId === tokenId)
    ? accept({ type: 'AdministratorTokenRevoked', data: { tokenId, at: now } })
    : refuse('token-unknown');

/** The built-in public client of every installation: the command line over the API. No add-on can have this id. */
export const commandLineClient = 'grantbook-cli';

/** The roles whose tasks the command line offers. */
const roles: readonly Role[] = ['operator', 'auditor'];

export const mayUseCommandLine = (account: { readonly roles: readonly Role[] }): boolean =>
  account.roles.some((role) => roles.includes(role));

/** Where a code may be sent: to this machine alone, to a port that the command line has opened (RFC 8252 §7.3, §8.3). */
export const isLoopbackRedirect = (uri: string): boolean => {
  const port = /^http:\/\/127\.0\.0\.1:([1-9]\d{0,4})\/$/.exec(uri)?.[1];
  return port !== undefined && Number(port) <= 65_535;
};
