import { type AccountEvent, type Account } from '../../../domain/people/account.ts';
import { addPasskey, removePasskey, renamePasskey } from '../../../domain/people/account-passkeys.ts';
import { accept, type Decision, type Instant, refuse } from '../../../domain/kernel/decision.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { nameProblem, normaliseName } from '../../../domain/kernel/name.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { CommandDependencies } from '../../kernel/dependencies.ts';
import type { CredentialDependencies } from '../dependencies.ts';
import { loadAccount } from '../accounts/load-account.ts';
import type { Outcome, OutcomeWithProblems } from '../../kernel/outcome.ts';
import {
  authenticationOptions,
  registrationOptions,
  type RegistrationResponseJSON,
  type RelyingParty,
  verifyRegistration,
} from '../../credentials/webauthn.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

type Options = Awaited<ReturnType<typeof registrationOptions | typeof authenticationOptions>>;

/** What a page's script hands to the browser: to add a passkey for `userId`, or to sign in with any. Null if the account cannot have any. */
export const makePasskeyOptions =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (
    relyingParty: RelyingParty,
    { challenge, userId }: { readonly challenge: string; readonly userId?: string },
  ): Promise<Options | null> => {
    if (userId === undefined) return authenticationOptions(relyingParty, challenge);
    const { account } = await loadAccount(store, userId);
    return account.status === 'enabled' && account.passwordSetAt !== null
      ? registrationOptions(relyingParty, account, challenge)
      : null;
  };

export type PasskeyItem = {
  readonly passkeyId: string;
  readonly name: string;
  readonly addedAt: Instant;
  readonly synced: boolean;
  /** Null: not since it was added. */
  readonly lastUsedAt: Instant | null;
};

/** The passkeys of an account, oldest first; null for a user who cannot have any. */
export const makePasskeysOf =
  ({ store, passkeyUses }: Pick<CredentialDependencies, 'store' | 'passkeyUses'>) =>
  async (userId: string): Promise<readonly PasskeyItem[] | null> => {
    if (!isUlid(userId)) return null;
    const { account } = await loadAccount(store, userId);
    if (account.status === 'absent' || account.passwordSetAt === null) return null;
    if (account.passkeys.length === 0) return [];
    const uses = await passkeyUses?.of(userId);
    return account.passkeys.map(({ passkeyId, name, addedAt, synced }) => ({
      passkeyId,
      name,
      addedAt,
      synced,
      lastUsedAt: uses?.get(passkeyId) ?? null,
    }));
  };

type Changed = { readonly passkeyId: string; readonly position: Position | null };

const decideOn = async <R extends string>(
  { store }: Pick<CommandDependencies, 'store'>,
  userId: string,
  decide: (account: Account) => Decision<AccountEvent, R>,
  options: { readonly context: CommandContext | undefined; readonly by: string },
): Promise<Outcome<{ readonly position: Position | null }, R>> => {
  const { refusal, position } = await onAccount(store, userId, decide, {
    context: options.context,
    metadata: { actor: options.by },
  });
  return refusal ? { ok: false, refusal } : { ok: true, value: { position } };
};

const namedProblem = (name: string) => {
  const message = nameProblem(name);
  return message === null ? null : [{ field: 'name', message }];
};

export type AddPasskey = {
  readonly userId: string;
  readonly name: string;
  readonly relyingParty: RelyingParty;
  /** The browser's answer to `challenge`, which the caller has used up. */
  readonly response: RegistrationResponseJSON;
  readonly challenge: string;
};

/** Adds a passkey that the user's browser has just made. The caller has seen to it that the sign-in is recent. */
export const makeAddPasskey =
  (dependencies: Pick<CommandDependencies, 'store' | 'now' | 'newId'>) =>
  async (
    { userId, name: given, relyingParty, response, challenge }: AddPasskey,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<
      Changed,
      'invalid' | 'wrong-passkey' | 'user-disabled' | 'no-password' | 'passkey-exists' | 'too-many-passkeys'
    >
  > => {
    const name = normaliseName(given);
    const problems = namedProblem(name);
    if (problems) return { ok: false, refusal: 'invalid', problems };
    const made = await verifyRegistration(relyingParty, response, challenge);
    if (!made) return { ok: false, refusal: 'wrong-passkey' };
    const passkeyId = dependencies.newId();
    const added = await decideOn(
      dependencies,
      userId,
      (account) => addPasskey(account, { passkeyId, name, ...made, now: dependencies.now() }),
      { context, by: userId },
    );
    return added.ok ? { ok: true, value: { passkeyId, ...added.value } } : added;
  };

export const makeRenamePasskey =
  (dependencies: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { userId, passkeyId, name: given }: Readonly<Record<'userId' | 'passkeyId' | 'name', string>>,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<Changed, 'invalid' | 'passkey-unknown'>> => {
    const name = normaliseName(given);
    const problems = namedProblem(name);
    if (problems) return { ok: false, refusal: 'invalid', problems };
    const renamed = await decideOn(
      dependencies,
      userId,
      (account) => renamePasskey(account, { passkeyId, name, now: dependencies.now() }),
      { context, by: userId },
    );
    return renamed.ok ? { ok: true, value: { passkeyId, ...renamed.value } } : renamed;
  };

export type RemovePasskey = {
  readonly userId: string;
  readonly passkeyId: string;
  /** The session in which the user asks for it; it stays. */
  readonly exceptSession?: string | null;
  /** A user's id, or `break-glass`. */
  readonly by: string;
};

/** Removes a passkey: it stops working immediately, and sessions that began with it end, on every instance. */
export const makeRemovePasskey =
  (dependencies: Pick<CredentialDependencies, 'store' | 'now' | 'passkeyUses' | 'inBackground'>) =>
  async (
    { userId, passkeyId, exceptSession = null, by }: RemovePasskey,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'user-unknown' | 'passkey-unknown'>> => {
    if (!isUlid(userId)) return { ok: false, refusal: 'user-unknown' };
    const { now, passkeyUses, inBackground } = dependencies;
    let isDecided = false;
    const removed = await decideOn(
      dependencies,
      userId,
      (account): Decision<AccountEvent, 'user-unknown' | 'passkey-unknown'> => {
        if (account.status === 'absent') return refuse('user-unknown');
        const decision = removePasskey(account, { passkeyId, exceptSession, now: now() });
        // The first attempt did succeed, and its answer was lost.
        if (decision.refusal !== undefined && isDecided) return accept();
        isDecided = decision.refusal === undefined;
        return decision;
      },
      { context, by },
    );
    if (!removed.ok) return removed;
    if (passkeyUses) inBackground(passkeyUses.forget({ passkeyId }));
    return { ok: true, value: { passkeyId, ...removed.value } };
  };
