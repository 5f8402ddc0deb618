import { isCodeVerifier } from '../../../domain/access/pkce.ts';
import { mayUseCommandLine } from '../../../domain/people/administrator-token.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import { mintCommandLineCode, verifyCommandLineCode } from '../../credentials/command-line-code.ts';
import { s256 } from '../../credentials/secrets.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { loadAccount } from '../accounts/load-account.ts';
import { makeIssueAdministratorToken, type IssuedAdministratorToken } from './issue-administrator-token.ts';
import { loadAdministratorTokens } from './load-administrator-tokens.ts';
import { makeReadAdministratorToken } from './read-administrator-token.ts';
import { makeRevokeAdministratorToken } from './revoke-administrator-token.ts';

/** In milliseconds (RFC 6749 §4.1.2: at most ten minutes). */
const codeLifetime = 60_000;
/** A sign-in lasts a day, as long as the shortest administrator token. */
const days = 1;

type Dependencies = Pick<CommandDependencies, 'store' | 'keys' | 'now' | 'newId' | 'lifetimes'>;

export type AllowCommandLine = {
  readonly userId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
};

/** An authorization code, for a user who has just allowed the command line. Nothing is stored until it is exchanged. */
export const makeAllowCommandLine =
  ({ store, keys, now, newId }: Pick<Dependencies, 'store' | 'keys' | 'now' | 'newId'>) =>
  async ({ userId, redirectUri, codeChallenge }: AllowCommandLine): Promise<string> => {
    const { tokensEnded } = await loadAccount(store, userId);
    const code = { userId, tokenId: newId(), expiresAt: now() + codeLifetime };
    return mintCommandLineCode(keys, code, {
      redirectUri,
      codeChallenge,
      tokensEnded: endingText(tokensEnded),
    });
  };

const endingText = (ended: Position | null): string =>
  ended === null ? '' : `${ended.commit}/${ended.prepare}`;

export type ExchangeCommandLineCode = {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** Whether the user belongs to a publisher at this moment. */
  readonly isMember: (userId: string) => Promise<boolean>;
};

export type CommandLineCodeRefusal = 'code-invalid' | 'code-used' | 'not-an-operator' | 'token-refused';

/**
 * A token for a code: an administrator token, as the user could make one. The code makes it once, because it names it; used again, it ends
 * the token (RFC 6749 §4.1.2).
 */
export const makeExchangeCommandLineCode = (dependencies: Dependencies) => {
  const { store, keys, now } = dependencies;
  const issue = makeIssueAdministratorToken(dependencies);
  const read = makeReadAdministratorToken(dependencies);
  const revoke = makeRevokeAdministratorToken(dependencies);
  return async (
    { code: text, redirectUri, codeVerifier, isMember }: ExchangeCommandLineCode,
    context?: CommandContext,
  ): Promise<Outcome<IssuedAdministratorToken, CommandLineCodeRefusal>> => {
    const code = verifyCommandLineCode(keys, text);
    if (!code || now() >= code.expiresAt || !isCodeVerifier(codeVerifier))
      return { ok: false, refusal: 'code-invalid' };
    const { userId, tokenId } = code;
    const { account, tokensEnded, wasIssued } = await loadAdministratorTokens(store, userId);
    const binding = {
      redirectUri,
      codeChallenge: s256(codeVerifier),
      tokensEnded: endingText(tokensEnded),
    };
    if (!code.isBoundTo(binding) || account.status !== 'enabled')
      return { ok: false, refusal: 'code-invalid' };
    if (wasIssued(tokenId)) {
      await revoke({ userId, tokenId, by: userId }, context);
      return { ok: false, refusal: 'code-used' };
    }
    if (!mayUseCommandLine(account) && !(await isMember(userId)))
      return { ok: false, refusal: 'not-an-operator' };
    const name = `Command line, ${new Date(now()).toISOString()}`;
    const issued = await issue({ userId, organizationId: null, name, days, by: userId, tokenId }, context);
    if (!issued.ok) return { ok: false, refusal: 'token-refused' };
    // Of two exchanges at once, the event is that of one: only its token is the one that the log describes.
    return (await read(issued.value.token)).ok ? issued : { ok: false, refusal: 'code-used' };
  };
};
