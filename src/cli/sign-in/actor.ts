import type { Commands } from '../../commands/commands.ts';
import type { Actor, OperatorTokenRefusal } from '../../commands/people/tokens/read-operator-token.ts';
import { breakGlass } from '../../domain/kernel/actor.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { readTokenFile, type Environment } from './token-file.ts';

/** Who may run a command: operators only, or auditors, too. Without a token everything is allowed, as break-glass. */
export type WhoMay = 'operator' | 'auditor';

/**
 * The actor, from GRANTBOOK_TOKEN, else from the token file of the sign-in, else nobody.
 * @throws NotAllowed when a token is present but not sufficient: the command must not run as break-glass instead
 */
export const findActor = async (
  { readOperatorToken }: Pick<Commands, 'readOperatorToken'>,
  env: Environment,
  file: string | null,
  who: WhoMay,
): Promise<Actor> => {
  const { token, kept, source } = await presented(env, file);
  if (token === null) return { by: breakGlass, user: null };
  const read = await readOperatorToken(token, { kept });
  if (!read.ok) throw refusedToken(read.refusal, { kept, source });
  requireRole(read.value.roles, who, source);
  return { by: read.value.userId, user: read.value };
};

export const refusedToken = (
  refusal: OperatorTokenRefusal,
  { kept, source }: Pick<Presented, 'kept' | 'source'>,
): NotAllowed => {
  const again = kept ? ' (grantbook login signs in again)' : '';
  return new NotAllowed(refusal, `${source} ${tokenRefusals[refusal]}${again}`);
};

/** @throws NotAllowed */
export const requireRole = (roles: readonly string[], who: WhoMay, source: string): void => {
  if (roles.includes('operator')) return;
  if (!roles.includes('auditor'))
    throw new NotAllowed('not-an-operator', `${source} does not belong to an operator`);
  if (who !== 'auditor')
    throw new NotAllowed(
      'not-an-operator',
      `${source} belongs to an auditor, not an operator: it is only valid for grantbook audit`,
    );
};

export type Presented = { readonly token: string | null; readonly kept: boolean; readonly source: string };

/** The token with which a command is run; null without one. @throws NotAllowed when other users may read the file */
export const presented = async (
  { GRANTBOOK_TOKEN: given = '' }: Environment,
  file: string | null,
): Promise<Presented> =>
  given === ''
    ? {
        token: file === null ? null : ((await readTokenFile(file))?.token ?? null),
        kept: true,
        source: 'the token that grantbook login has kept',
      }
    : { token: given.trim(), kept: false, source: 'the token of GRANTBOOK_TOKEN' };

export const tokenRefusals: Readonly<Record<OperatorTokenRefusal, string>> = {
  'token-unknown': 'is no token of this Grantbook',
  'token-expired': 'has expired',
  'token-revoked': 'was ended',
  'account-disabled': 'is of an account that is disabled',
  'token-for-one-organization': "is for one organization only, and cannot be an operator's",
};
