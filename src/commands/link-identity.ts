import { accountDecider } from '../domain/account.ts';
import { linkIdentity, unlinkIdentities } from '../domain/account-from-provider.ts';
import { subjectProblem } from '../domain/identity.ts';
import { accountStream } from '../domain/streams.ts';
import { makeApplyMapping } from './apply-mapping.ts';
import { byOperator } from './by-operator.ts';
import type { AccountChanged } from './change-account.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { handle } from './handle.ts';
import { accountNow } from './load-account.ts';
import { claimIdentityFor, releaseIdentityOf } from './identity-claim.ts';
import type { Outcome, OutcomeWithProblems } from './outcome.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now' | 'persons'>;

export type LinkIdentity = {
  readonly userId: string;
  /** The provider's `id` and `issuer` in the configuration. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
};

/**
 * Lets an identity of a provider open an existing account (FE-03): the claim first, then the account. After a crash in
 * between, the identity opens the account already, and the same call or the next sign-in completes it.
 */
export const makeLinkIdentity =
  (dependencies: Dependencies) =>
  async (
    { userId, provider, issuer, subject }: LinkIdentity,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<AccountChanged, 'user-unknown' | 'user-erased' | 'identity-taken' | 'invalid'>
  > => {
    const { store, now, persons } = dependencies;
    const message = subjectProblem(subject);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'subject', message }] };
    const account = await accountNow(dependencies.store, userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    if (account.status === 'erased') return { ok: false, refusal: 'user-erased' };
    const digest = await persons.identityDigest(issuer, subject);
    const change = { context, ...byOperator() };
    const owner = await claimIdentityFor(dependencies, digest, userId, change);
    if (owner !== userId) return { ok: false, refusal: 'identity-taken' };
    const identity = { provider, issuer, subject, digest };
    const { events, refusal, position } = await retryUnknownOutcome(() =>
      handle(
        store,
        accountStream(userId),
        accountDecider,
        (present) => linkIdentity(present, { identity, now: now() }),
        change,
      ),
    );
    return refusal ? { ok: false, refusal } : { ok: true, value: { changed: events.length > 0, position } };
  };

/**
 * Unlinks every identity of a provider from an account: none of them opens it from the answer on, every session of the
 * user ends, and so do roles by claim. The next sign-in with such an identity makes an account of its own. The claims
 * are released first; the same call again completes what a crash has interrupted. It also works for an erased account.
 */
export const makeUnlinkIdentity = (dependencies: Dependencies) => {
  const { store, now } = dependencies;
  const applyMapping = makeApplyMapping(dependencies);
  return async (
    { userId, provider }: Pick<LinkIdentity, 'userId' | 'provider'>,
    context?: CommandContext,
  ): Promise<Outcome<AccountChanged, 'user-unknown' | 'identity-unknown'>> => {
    const account = await accountNow(dependencies.store, userId);
    if (account.status === 'absent') return { ok: false, refusal: 'user-unknown' };
    const linked = account.identities.filter((identity) => identity.provider === provider);
    if (linked.length === 0) {
      await applyMapping(userId, 'operator', context); // what an earlier call may have left
      return { ok: false, refusal: 'identity-unknown' };
    }
    const change = { context, ...byOperator() };
    for (const { digest } of linked) await releaseIdentityOf(dependencies, digest, userId, change);
    const { events, position } = await retryUnknownOutcome(() =>
      handle(
        store,
        accountStream(userId),
        accountDecider,
        (present) => unlinkIdentities(present, { provider, now: now() }),
        change,
      ),
    );
    await applyMapping(userId, 'operator', context);
    return { ok: true, value: { changed: events.length > 0, position } };
  };
};
