import {
  addonTokenDecider,
  issueAddonToken,
  longestAddonToken,
  mayHoldAddonToken,
  revokeAddonToken,
  type SignalScope,
} from '../../domain/access/addon-token.ts';
import { makeSharedCalls } from '../../common/shared-calls.ts';
import { addonTokenStream } from '../../domain/streams.ts';
import { mintAddonToken, readAddonToken, type AddonTokenClaims } from '../credentials/addon-token-text.ts';
import { LogBehind } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { startStream } from '../kernel/start-stream.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'keys' | 'now' | 'newId' | 'lifetimes'> & {
  readonly addons: Pick<AddonDirectory, 'current'>;
};

export type IssueAddonToken = {
  readonly addonId: string;
  /** The secret by which the add-on has authenticated. */
  readonly secretId: string;
  readonly scopes: readonly SignalScope[];
};

export type IssuedAddonToken = {
  readonly accessToken: string;
  readonly scopes: readonly SignalScope[];
  /** In whole seconds. */
  readonly expiresIn: number;
};

/**
 * Issues an access token to the add-on itself (RFC 6749 §4.4), if the add-on and the secret still exist on the log.
 * What ends between this read and the answer ends the token too, because each use asks for both again.
 */
export const makeIssueAddonToken =
  ({ store, keys, now, newId, lifetimes, addons }: Dependencies) =>
  async (
    { addonId, secretId, scopes }: IssueAddonToken,
    context?: CommandContext,
  ): Promise<Outcome<IssuedAddonToken, 'secret-removed'>> => {
    if (!mayHoldAddonToken(await addons.current(addonId), secretId))
      return { ok: false, refusal: 'secret-removed' };
    const issuedAt = now();
    const tokenId = newId();
    const lifetime = Math.min(lifetimes.accessToken, longestAddonToken);
    const issue = { tokenId, addonId, secretId, scopes };
    await startStream(
      store,
      addonTokenStream(tokenId),
      addonTokenDecider,
      (token) => issueAddonToken(token, { ...issue, now: issuedAt, lifetime }),
      { context, metadata: { actor: `addon:${addonId}` } },
    );
    const accessToken = mintAddonToken(keys, { ...issue, issuedAt, expiresAt: issuedAt + lifetime });
    return { ok: true, value: { accessToken, scopes, expiresIn: Math.floor(lifetime / 1000) } };
  };

/** What a token says, expired or not; without any I/O. Null for anything but a token of an add-on itself. */
export const makeReadAddonToken =
  ({ keys }: Pick<Dependencies, 'keys'>) =>
  (token: string): AddonTokenClaims | null =>
    readAddonToken(keys, token);

export type AddonTokenRefusal = 'token-expired' | 'token-revoked';

/**
 * Why a token is refused at this moment; null if it is valid. Two reads of one event each, from the log: the newest of
 * the add-on, for retirement and the end of the secret, and the newest of the token. So once the call that
 * ended it has returned, every instance refuses it. A caller that waits asks again before it answers. Calls at the same time share
 * the reads, each of which begins after all calls that it answers.
 */
export const makeJudgeAddonToken = ({
  store,
  now,
  addons,
}: Pick<Dependencies, 'store' | 'now' | 'addons'>) => {
  const readNewest = makeSharedCalls((tokenId) => store.readBack(addonTokenStream(tokenId), 'end', 1));
  return async ({
    tokenId,
    addonId,
    secretId,
    expiresAt,
  }: AddonTokenClaims): Promise<AddonTokenRefusal | null> => {
    if (now() >= expiresAt) return 'token-expired';
    const [addon, { events }] = await Promise.all([addons.current(addonId), readNewest(tokenId)]);
    const newest = events.at(-1);
    if (!newest || addon === null) throw new LogBehind(`the log lacks the token ${tokenId} or its add-on`);
    if (!mayHoldAddonToken(addon, secretId)) return 'token-revoked';
    return newest.event.type === 'AddonTokenIssued' ? null : 'token-revoked';
  };
};

/** Ends one token (RFC 7009); false if there was nothing to end. In force on every instance when this returns. */
export const makeRevokeAddonToken =
  ({ store, now }: Pick<Dependencies, 'store' | 'now'>) =>
  async (
    { tokenId, addonId, expiresAt }: AddonTokenClaims,
    context: CommandContext | undefined,
  ): Promise<boolean> => {
    const { events, state } = await handleRetrying(
      store,
      addonTokenStream(tokenId),
      addonTokenDecider,
      (token) => revokeAddonToken(token, { now: now() }),
      { context, metadata: { actor: `addon:${addonId}` } },
    );
    if (state === 'none' && now() < expiresAt) throw new LogBehind(`the log lacks the token ${tokenId}`);
    return events.length > 0;
  };
