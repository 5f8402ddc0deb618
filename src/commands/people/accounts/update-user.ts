import { english } from '../../../common/words.ts';
import {
  type Account,
  type AccountEvent,
  accountDecider,
  addressOf,
  type KnownAccount,
  type Role,
} from '../../../domain/people/account.ts';
import { changeEmail, grantRole, removeRole, renameAccount } from '../../../domain/people/account-changes.ts';
import { emailProblem, normaliseEmail } from '../../../domain/people/email.ts';
import { decideAll, type Instant } from '../../../domain/kernel/decision.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import { normaliseName, personNameProblem } from '../../../domain/kernel/name.ts';
import { accountNow } from '../../../eventstore/state-of.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import { makeAddAdministrator, makeRemoveAdministrator } from '../../organizations/administrators.ts';
import { makeAddPublisherMember, makeRemovePublisherMember } from '../../publishers/publishers.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { ChangedMeanwhile } from '../../kernel/handle.ts';
import { judgedFirst } from '../../kernel/judged-first.ts';
import {
  type Changed,
  type FieldProblem,
  type Outcome,
  type OutcomeWithProblems,
  changedOutcome,
  problemsAmong,
} from '../../kernel/outcome.ts';
import type { AccountDependencies } from '../dependencies.ts';
import { makeAccountClaims } from './account-claims.ts';
import { handleAccount } from './handle-account.ts';

/** A role that is given by hand. */
export type GivenRole =
  | { readonly role: Role }
  | { readonly role: 'administrator'; readonly organizationId: string }
  | { readonly role: 'publisher'; readonly publisherId: string };

/** What is not given stays as it is. */
export type UpdateUser = {
  readonly userId: string;
  readonly name?: string;
  readonly email?: string;
  readonly give?: readonly GivenRole[];
  readonly take?: readonly GivenRole[];
  readonly force?: boolean;
};

type RoleRefusal =
  | 'organization-unknown'
  | 'publisher-unknown'
  | 'role-by-claim'
  | 'administrator-by-claim'
  | 'last-administrator'
  | 'last-operator';

export type UpdateUserRefusal = 'user-unknown' | 'user-erased' | 'email-taken' | 'invalid' | RoleRefusal;

type Dependencies = Pick<AccountDependencies, 'store' | 'now' | 'persons' | 'operators' | 'unfinished'>;
type Updated = OutcomeWithProblems<Changed, UpdateUserRefusal>;
type Membership = Exclude<GivenRole, { readonly role: Role }>;
type Step = { readonly change: 'give' | 'take'; readonly one: Membership };

/**
 * Changes a user: all that is given, or nothing. The operator vouches for the address, which is claimed first; the old one is free once it
 * has returned, and a link mailed to it has ended. Memberships are in streams of their own, before the account's one append: where that is
 * refused, they are taken back.
 */
export const makeUpdateUser = (dependencies: Dependencies) => {
  const claims = makeAccountClaims(dependencies);
  return judgedFirst('updateUser', makeUpdate, dependencies, async (given, context) => {
    const { userId, email } = normalised(given);
    if (isUlid(userId) && email !== undefined)
      await claims.settle(userId, { context, ...byOperator() }, { address: [email] });
  });
};

const makeUpdate = (dependencies: Dependencies) => {
  const claims = makeAccountClaims(dependencies);
  const memberships = makeMemberships(dependencies);
  const update = async (given: UpdateUser, context?: CommandContext): Promise<Updated> => {
    const { userId, force = false, ...wanted } = normalised(given);
    const { email } = wanted;
    const problems = problemsOf(wanted);
    if (problems.length > 0) return { ok: false, refusal: 'invalid', problems };
    const before = await accountNow(dependencies.store, userId);
    if (!isUlid(userId) || before.status === 'absent') return { ok: false, refusal: 'user-unknown' };

    const append = () =>
      memberships(given, context, async (): Promise<Outcome<Changed, UpdateUserRefusal>> => {
        const handled = await handleAccount(
          dependencies,
          userId,
          (account, now) => decide(account, { ...wanted, now }),
          { context, force },
        );
        return changedOutcome(handled);
      });
    if (email === undefined) return append();
    const change = { context, ...byOperator() };
    if (before.status !== 'erased' && (await claims.take('address', email, userId, change)) !== userId)
      return taken;
    const { recorded, settled } = await claims.recording(userId, change, { address: [email] }, append);
    const isLost = settled.status !== 'absent' && settled.email === email && addressOf(settled) === null;
    if (!recorded.ok || !isLost) return recorded;
    // Somebody else recorded it between the claim and the append: the rest does not stay either.
    await update({ ...asBefore(before, given), userId, force: true }, context);
    return taken;
  };
  return update;
};

type Wanted = Omit<UpdateUser, 'userId'>;

const normalised = ({ name, email, ...given }: UpdateUser): UpdateUser => ({
  ...given,
  ...(name !== undefined && { name: normaliseName(name) }),
  ...(email !== undefined && { email: normaliseEmail(email) }),
});

const problemsOf = ({ name, email }: Wanted): readonly FieldProblem[] =>
  problemsAmong([
    { field: 'name', message: name === undefined ? null : personNameProblem(name) },
    { field: 'email', message: email === undefined ? null : emailProblem(email) },
  ]);

type AccountRefusal = 'user-unknown' | 'user-erased' | 'role-by-claim';

const decide = (
  account: Account,
  { name, email, give = [], take = [], now }: Wanted & { readonly now: Instant },
) =>
  decideAll<Account, AccountEvent, AccountRefusal>(accountDecider, account, [
    name === undefined ? null : (one) => renameAccount(one, { name, now }),
    email === undefined ? null : (one) => changeEmail(one, { email, now }),
    ...ownRoles(give).map((role) => (one: Account) => grantRole(one, { role, now })),
    ...ownRoles(take).map((role) => (one: Account) => removeRole(one, { role, now })),
  ]);

const isMembership = (one: GivenRole): one is Membership => 'organizationId' in one || 'publisherId' in one;

/** Those that the account itself records. */
const ownRoles = (roles: readonly GivenRole[]): readonly Role[] =>
  roles.flatMap((one) => (isMembership(one) ? [] : [one.role]));

/** What was given, as it was. */
const asBefore = (before: KnownAccount, { name, give = [], take = [] }: UpdateUser): Wanted => {
  const email = addressOf(before);
  return {
    ...(name !== undefined && { name: before.name }),
    ...(email !== null && { email }),
    give: take,
    take: give,
  };
};

/** Gives and takes memberships, then does what follows; where one of them or that is refused, those before it are undone. */
const makeMemberships = (dependencies: Dependencies) => {
  const organization = {
    give: makeAddAdministrator(dependencies),
    take: makeRemoveAdministrator(dependencies),
  };
  const publisher = {
    give: makeAddPublisherMember(dependencies),
    take: makeRemovePublisherMember(dependencies),
  };
  return async (
    { userId, give = [], take = [], force = false }: UpdateUser,
    context: CommandContext | undefined,
    then: () => Promise<Outcome<Changed, UpdateUserRefusal>>,
  ): Promise<Outcome<Changed, UpdateUserRefusal>> => {
    const run = ({ change, one }: Step, isForced = force) =>
      one.role === 'administrator'
        ? organization[change]({ userId, organizationId: one.organizationId, force: isForced }, context)
        : publisher[change]({ userId, publisherId: one.publisherId }, context);
    const done: Step[] = [];
    let position: Position | null = null;
    const undo = async () => {
      for (const { change, one } of done.toReversed())
        await run({ change: change === 'give' ? 'take' : 'give', one }, true);
    };
    const steps = [
      ...give.filter(isMembership).map((one) => ({ change: 'give', one }) as const),
      ...take.filter(isMembership).map((one) => ({ change: 'take', one }) as const),
    ];
    try {
      for (const step of steps) {
        const outcome = await run(step);
        if (!outcome.ok) {
          await undo();
          return outcome;
        }
        if (!outcome.value.changed) continue;
        done.push(step);
        ({ position } = outcome.value);
      }
      const last = await then();
      if (!last.ok) await undo();
      return last.ok && !last.value.changed && position !== null
        ? { ok: true, value: { changed: true, position } }
        : last;
    } catch (error) {
      if (error instanceof ChangedMeanwhile) await undo();
      throw error;
    }
  };
};

const taken = {
  ok: false,
  refusal: 'email-taken',
  problems: [{ field: 'email', message: english.problems.otherAccount }],
} as const;
