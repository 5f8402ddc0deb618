import { type Account, accountDecider, type KnownAccount, type Role } from '../domain/account.ts';
import { type ProvidersWord, takeProvidersWord } from '../domain/account-from-provider.ts';
import { emailProblem, normaliseEmail } from '../domain/email.ts';
import { nearestName } from '../domain/name.ts';
import { accountStream } from '../domain/streams.ts';
import { isUnreadable } from '../domain/unreadable-fields.ts';
import type { Position } from '../eventstore/event-store.ts';
import { makeApplyMapping } from './apply-mapping.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { claimEmailFor, releaseEmailOf } from './email-claim.ts';
import { handle } from './handle.ts';
import { claimIdentityFor, userOfIdentity } from './identity-claim.ts';
import { loadAccount } from './load-account.ts';
import { mapInBatches } from './map-in-batches.ts';
import { organizationInClaim } from './organization-in-claim.ts';
import type { Outcome } from './outcome.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

/** A user of an identity provider who has just signed in there, as its verified id_token says. */
export type AccountOfIdentity = {
  /** The provider's `id` in the configuration. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** As claimed; null when the provider names none. Neither has to be valid. */
  readonly name: string | null;
  readonly email: string | null;
  readonly mapped: {
    /** `organization_id` or `external_id` of organizations; what names no organization is ignored. */
    readonly administratorOf: readonly string[];
    readonly roles: readonly Role[];
  };
};

export type IdentifiedAccount = Pick<KnownAccount, 'userId' | 'name' | 'email' | 'roles'> & {
  /**
   * Where the account's sessions were last ended, before this sign-in: whoever starts a session compares it afterwards
   * (`isSameEnding`), because an ending in between does not end the new session by itself.
   */
  readonly sessionsEnded: Position | null;
  /** Entries of `administratorOf` that name no organization, if any. */
  readonly unknownOrganizations: readonly string[];
};

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'newId' | 'persons'>;

/**
 * The account of an identity: found by (`issuer`, `subject`) only (FE-03), made at the first sign-in, and brought up to
 * date with what the provider says at every later one. Mapped roles are those of this sign-in when it returns (FE-04).
 * An address that another account has is kept for display; the claim on it stays where it is. After a crash in between,
 * the next sign-in continues.
 */
export const makeAccountOfIdentity = (dependencies: Dependencies) => {
  const { store, now, newId, persons } = dependencies;
  const applyMapping = makeApplyMapping(dependencies);
  return async (
    request: AccountOfIdentity,
    context?: CommandContext,
  ): Promise<Outcome<IdentifiedAccount, 'user-disabled' | 'user-erased'>> => {
    const { provider, issuer, subject } = request;
    const digest = await persons.identityDigest(issuer, subject);
    const identity = { provider, issuer, subject, digest };
    const organizations = await organizationsOf(dependencies, request.mapped.administratorOf);
    const said = wordOf(request, { identity, organizationIds: organizations.known });
    for (;;) {
      const { userId, account, sessionsEnded } = await claimed(dependencies, digest, newId(), context);
      const by = { context, metadata: { actor: userId } };
      if (account.status === 'absent' || account.status === 'enabled')
        await moveEmailClaim(dependencies, userId, account, said.email, by);
      const unlinkings = account.status === 'absent' ? 0 : account.unlinkings;
      const { state, refusal } = await retryUnknownOutcome(() =>
        handle(
          store,
          accountStream(userId),
          accountDecider,
          (present) => takeProvidersWord(present, { ...said, userId, unlinkings, now: now() }),
          by,
        ),
      );
      if (refusal === 'identity-unlinked') continue; // by another operator at this moment: look it up again
      if (refusal) return { ok: false, refusal };
      await applyMapping(userId, userId, context);
      const { name, email, roles } = state as KnownAccount;
      const { unknown: unknownOrganizations } = organizations;
      return { ok: true, value: { userId, name, email, roles, sessionsEnded, unknownOrganizations } };
    }
  };
};

/**
 * The user whom the identity opens, and their account. It is looked up again after the account was read: an unlinking
 * releases the claim before it changes the account, so any later one changes the account that was read.
 */
const claimed = async (
  dependencies: Dependencies,
  digest: string,
  newUserId: string,
  context: CommandContext | undefined,
) => {
  const { store } = dependencies;
  for (;;) {
    const userId =
      (await userOfIdentity(store, digest)) ??
      (await claimIdentityFor(dependencies, digest, newUserId, {
        context,
        metadata: { actor: newUserId },
      }));
    const { account, sessionsEnded } = await loadAccount(store, userId);
    if ((await userOfIdentity(store, digest)) === userId) return { userId, account, sessionsEnded };
  }
};

type Known = Pick<ProvidersWord, 'identity' | 'organizationIds'>;

const wordOf = ({ name, email, subject, mapped }: AccountOfIdentity, known: Known) => {
  const address = email === null ? null : normaliseEmail(email);
  const valid = address !== null && emailProblem(address) === null ? address : null;
  return {
    ...known,
    name: name === null ? null : nearestName(name),
    nameOtherwise: nearestName(valid ?? subject) ?? known.identity.provider,
    email: valid,
    roles: mapped.roles,
  };
};

/** Before the account says it: if this crashes, the next sign-in still knows which address was the account's. */
const moveEmailClaim = async (
  dependencies: Dependencies,
  userId: string,
  account: Account,
  email: string | null,
  by: { readonly context: CommandContext | undefined; readonly metadata: { readonly actor: string } },
): Promise<void> => {
  if (email === null) return;
  const present = account.status === 'absent' ? '' : account.email;
  if (present !== '' && present !== email && !isUnreadable(present))
    await releaseEmailOf(dependencies, present, userId, by);
  await claimEmailFor(dependencies, email, userId, by);
};

/** Each entry once. */
const organizationsOf = async (dependencies: Dependencies, names: readonly string[]) => {
  const distinct = [...new Set(names)];
  const ids = await mapInBatches(distinct, (name) => organizationInClaim(dependencies, name));
  return {
    known: [...new Set(ids.filter((id) => id !== null))],
    unknown: distinct.filter((_, index) => ids[index] === null),
  };
};
