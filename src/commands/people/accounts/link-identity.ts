import { breakGlass } from '../../../domain/kernel/actor.ts';
import { linkIdentity, unlinkIdentities } from '../../../domain/people/account-from-provider.ts';
import { subjectProblem } from '../../../domain/people/identity.ts';
import { makeAccountClaims } from './account-claims.ts';
import { makeApplyMapping } from './apply-mapping.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import { changeAccount } from './change-account.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { AccountDependencies } from '../dependencies.ts';
import type { Changed, Outcome, OutcomeWithProblems } from '../../kernel/outcome.ts';
import { accountNow } from '../../../eventstore/state-of.ts';

type Dependencies = Pick<AccountDependencies, 'store' | 'now' | 'persons'>;

export type LinkIdentity = {
  readonly userId: string;
  /** The provider's `id` and `issuer` in the configuration. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
};

/** Lets a provider's identity open an existing account (FE-03). After a crash, the same call or the next sign-in completes it. */
export const makeLinkIdentity = (dependencies: Dependencies) => {
  const claims = makeAccountClaims(dependencies);
  return async (
    { userId, provider, issuer, subject }: LinkIdentity,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<Changed, 'user-unknown' | 'user-erased' | 'identity-taken' | 'invalid'>> => {
    const message = subjectProblem(subject);
    if (message !== null) return { ok: false, refusal: 'invalid', problems: [{ field: 'subject', message }] };
    const { status } = await accountNow(dependencies.store, userId);
    if (status === 'absent') return { ok: false, refusal: 'user-unknown' };
    const digest = await dependencies.persons.identityDigest(issuer, subject);
    const change = { context, ...byOperator() };
    if (status !== 'erased' && (await claims.take('identity', digest, userId, change)) !== userId)
      return { ok: false, refusal: 'identity-taken' };
    const changed = await changeAccount(
      dependencies,
      userId,
      (present, now) => linkIdentity(present, { identity: { provider, issuer, subject, digest }, now }),
      context,
    );
    await claims.settle(userId, change, { identity: [digest] });
    const isLost = changed.ok && (await claims.identity.ownerOf(digest)) !== userId;
    return isLost ? { ok: false, refusal: 'identity-taken' } : changed;
  };
};

/** Unlinks a provider's identities: sessions and roles by claim end, and the next sign-in makes an account. Repeatable, also if erased. */
export const makeUnlinkIdentity = (dependencies: Dependencies) => {
  const claims = makeAccountClaims(dependencies);
  const applyMapping = makeApplyMapping(dependencies);
  return async (
    { userId, provider }: Pick<LinkIdentity, 'userId' | 'provider'>,
    context?: CommandContext,
  ): Promise<Outcome<Changed, 'user-unknown' | 'identity-unknown'>> => {
    const changed = await changeAccount(
      dependencies,
      userId,
      (present, now) => unlinkIdentities(present, { provider, now }),
      context,
    );
    if (!changed.ok) return changed;
    await claims.settle(userId, { context, ...byOperator() });
    await applyMapping(userId, breakGlass, context);
    return changed.value.changed ? changed : { ok: false, refusal: 'identity-unknown' };
  };
};
