import { accept, type Decider, type Decision, type Instant, refuse } from './decision.ts';

/** The tokens of one user, with which programs do what the user may do as an administrator (AC-04). */
export type AdministratorTokenEvent =
  | {
      readonly type: 'AdministratorTokenIssued';
      readonly data: {
        readonly tokenId: string;
        readonly userId: string;
        /** Null: for all that the user administers at the moment of use. */
        readonly organizationId: string | null;
        readonly name: string;
        readonly keyId: string;
        readonly salt: string;
        readonly at: Instant;
        readonly expiresAt: Instant;
      };
    }
  | {
      readonly type: 'AdministratorTokenRevoked';
      readonly data: { readonly tokenId: string; readonly at: Instant };
    };

export type AdministratorToken = Omit<
  Extract<AdministratorTokenEvent, { readonly type: 'AdministratorTokenIssued' }>['data'],
  'userId' | 'at'
> & { readonly issuedAt: Instant };

/** Without those that were revoked, and without those that had expired when the newest was issued. */
export type AdministratorTokens = readonly AdministratorToken[];

export const administratorTokenDecider: Decider<AdministratorTokens, AdministratorTokenEvent> = {
  initial: [],
  evolve: (tokens, event) => {
    switch (event.type) {
      case 'AdministratorTokenIssued': {
        const { userId: _, at: issuedAt, ...token } = event.data;
        return [...tokens.filter(({ expiresAt }) => issuedAt < expiresAt), { ...token, issuedAt }];
      }
      case 'AdministratorTokenRevoked':
        return tokens.filter(({ tokenId }) => tokenId !== event.data.tokenId);
    }
  },
};

/** What else ends tokens: time, and that the account was disabled, even when it is enabled again. */
export type Moment = { readonly now: Instant; readonly disabledAt: Instant | null };

/** Those that open something at this moment, oldest first. */
export const livingTokens = (
  tokens: AdministratorTokens,
  { now, disabledAt }: Moment,
): readonly AdministratorToken[] =>
  tokens.filter(
    ({ issuedAt, expiresAt }) => now < expiresAt && (disabledAt === null || disabledAt < issuedAt),
  );

/** How many a user may have at once: enough for every program of theirs, few enough to be looked through. */
export const tokensAllowed = 20;

/** Lifetimes in days: one has to be chosen, and none is for ever. */
export const tokenDays = { least: 1, most: 365, usual: 30 } as const;

/** What is wrong with a lifetime, or null. */
export const daysProblem = (days: number): string | null =>
  Number.isInteger(days) && days >= tokenDays.least && days <= tokenDays.most
    ? null
    : `must be a whole number from ${tokenDays.least} to ${tokenDays.most}`;

export type IssueTokenRefusal = 'name-taken' | 'too-many-tokens';

/**
 * Names of living tokens differ, so that a list of them can be read, and a form that is sent twice makes one token.
 * Issuing the very same one again changes nothing.
 */
export const issueAdministratorToken = (
  tokens: AdministratorTokens,
  {
    userId,
    token,
    disabledAt,
  }: {
    readonly userId: string;
    readonly token: AdministratorToken;
    readonly disabledAt: Instant | null;
  },
): Decision<AdministratorTokenEvent, IssueTokenRefusal> => {
  if (tokens.some(({ tokenId }) => tokenId === token.tokenId)) return accept();
  const { issuedAt, ...rest } = token;
  const living = livingTokens(tokens, { now: issuedAt, disabledAt });
  if (living.some(({ name }) => name === token.name)) return refuse('name-taken');
  if (living.length >= tokensAllowed) return refuse('too-many-tokens');
  return accept({ type: 'AdministratorTokenIssued', data: { userId, ...rest, at: issuedAt } });
};

/** Ends a token for good; one that has ended, or never was, is unknown. */
export const revokeAdministratorToken = (
  tokens: AdministratorTokens,
  { tokenId, now, disabledAt }: Moment & { readonly tokenId: string },
): Decision<AdministratorTokenEvent, 'token-unknown'> =>
  livingTokens(tokens, { now, disabledAt }).some((token) => token.tokenId === tokenId)
    ? accept({ type: 'AdministratorTokenRevoked', data: { tokenId, at: now } })
    : refuse('token-unknown');
