import type { FastifyRequest } from 'fastify';
import type { PasskeyItem } from '../../commands/people/credentials/passkeys.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { AccountDependencies } from './dependencies.ts';
import type { PasskeysView } from './views/passkeys-section.ts';
import { one, queryOf } from '../requests/params.ts';
import { noPasskeysHere, relyingPartyOf } from '../passkeys/relying-party.ts';

/** Null where the user cannot have passkeys, and where local sign-in is off. */
export const passkeysView = (
  { browser: { config }, federation }: AccountDependencies,
  passkeys: readonly PasskeyItem[] | null,
): PasskeysView | null =>
  passkeys === null || !federation.local
    ? null
    : {
        rows: passkeys.map(({ addedAt, lastUsedAt, ...passkey }) => ({
          ...passkey,
          addedAt: new Date(addedAt).toISOString(),
          lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
        })),
        whyNot: relyingPartyOf(config.baseUrl) === null ? noPasskeysHere(config.baseUrl) : null,
      };

/** Checked against the passkey, so that a forged address cannot show a false confirmation. */
export const wasAdded = (
  request: FastifyRequest,
  passkeys: readonly PasskeyItem[] | null,
  now: number,
): boolean => {
  const added = passkeys?.find(({ passkeyId }) => passkeyId === one(queryOf(request), 'passkey'));
  return added !== undefined && now - added.addedAt < 60_000;
};

export const wasRemoved = (request: FastifyRequest, passkeys: readonly PasskeyItem[] | null): boolean => {
  const removed = one(queryOf(request), 'removed');
  return (
    removed !== undefined && isUlid(removed) && !passkeys?.some(({ passkeyId }) => passkeyId === removed)
  );
};
