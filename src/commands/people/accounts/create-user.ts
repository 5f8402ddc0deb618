import { english } from '../../../common/words.ts';
import {
  type Account,
  accountDecider,
  addressOf,
  createAccount,
  type Role,
} from '../../../domain/people/account.ts';
import { emailProblem, normaliseEmail } from '../../../domain/people/email.ts';
import { normaliseName, personNameProblem } from '../../../domain/kernel/name.ts';
import {
  addAdministrator,
  addAuditor,
  organizationDecider,
} from '../../../domain/organizations/organization.ts';
import { accountStream, organizationStream } from '../../../domain/streams.ts';
import { makeAccountClaims } from './account-claims.ts';
import { byOperator } from '../../kernel/by-operator.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { handle } from '../../kernel/handle.ts';
import type { AccountDependencies, CredentialDependencies } from '../dependencies.ts';
import { type FieldProblem, type OutcomeWithProblems, problemsAmong } from '../../kernel/outcome.ts';
import { passwordProblem } from '../credentials/password-policy.ts';
import { organizationNow } from '../../../eventstore/state-of.ts';

type Dependencies = Pick<
  CredentialDependencies & AccountDependencies,
  'store' | 'now' | 'newId' | 'passwords' | 'persons'
>;

export type CreateUser = {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly administratorOf: readonly string[];
  readonly auditorOf?: readonly string[];
  readonly roles: readonly Role[];
};

/** Creates an account by revisions: claim on the address, account, roles in organizations. A repeat continues after a crash; then: taken. */
export const makeCreateUser = (dependencies: Dependencies) => {
  const claims = makeAccountClaims(dependencies);
  return async (
    given: CreateUser,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<{ readonly userId: string }, 'email-taken' | 'organization-unknown' | 'invalid'>
  > => {
    const request = { ...given, email: normaliseEmail(given.email), name: normaliseName(given.name) };
    const problems = await problemsOf(request);
    if (problems.length > 0) return { ok: false, refusal: 'invalid', problems };
    const unknown = await unknownOrganizations(dependencies, request);
    if (unknown.length > 0) return { ok: false, refusal: 'organization-unknown', problems: unknown };

    const change = { context, ...byOperator() };
    const made = (context?.once?.newId ?? dependencies.newId)();
    const userId = await claims.takeForNew('address', request.email, made, change);
    /** An earlier try of the same request made it. */
    const isOwn = context?.once !== undefined && userId === made;
    const account = await create(dependencies, userId, request, context);
    const settled = await claims.settle(userId, change);
    if (addressOf(settled) !== request.email) return taken;
    if (account.existed && !isOwn && !(await isRepeat(dependencies, account.state, request))) return taken;
    const added =
      (await addTo(dependencies, userId, request.administratorOf, addAdministrator, context)) +
      (await addTo(dependencies, userId, request.auditorOf ?? [], addAuditor, context));
    return account.existed && added === 0 && !isOwn ? taken : { ok: true, value: { userId } };
  };
};

const taken = {
  ok: false,
  refusal: 'email-taken',
  problems: [{ field: 'email', message: english.problems.otherAccount }],
} as const;

const problemsOf = async ({
  email,
  name,
  password,
  roles,
  auditorOf = [],
}: CreateUser): Promise<readonly FieldProblem[]> =>
  problemsAmong([
    { field: 'email', message: emailProblem(email) },
    { field: 'name', message: personNameProblem(name) },
    { field: 'password', message: await passwordProblem(password) },
    {
      field: 'auditorOf',
      message: auditorOf.length > 0 && !roles.includes('auditor') ? english.problems.noAuditor : null,
    },
  ]);

const unknownOrganizations = async (
  { store }: Dependencies,
  { administratorOf, auditorOf = [] }: CreateUser,
) => {
  const problems: FieldProblem[] = [];
  const named = [...fieldsOf('administratorOf', administratorOf), ...fieldsOf('auditorOf', auditorOf)];
  for (const [field, organizationId] of named) {
    const { status } = await organizationNow(store, organizationId);
    if (status === 'unknown') problems.push({ field, message: english.problems.noOrganization });
  }
  return problems;
};

const fieldsOf = (name: string, values: readonly string[]) =>
  values.map((value, index) => [`${name}[${index}]`, value] as const);

const create = async (
  { store, now, passwords }: Dependencies,
  userId: string,
  { email, name, roles, password }: CreateUser,
  context: CommandContext | undefined,
) => {
  const passwordHash = await passwords.hash(password);
  const { state, refusal } = await handle(
    store,
    accountStream(userId),
    accountDecider,
    (account) => createAccount(account, { userId, email, name, roles, passwordHash, now: now() }),
    { context, ...byOperator() },
  );
  return { state, existed: refusal === 'account-exists' };
};

/** Only a repeat of the request that made the account may continue: same person, same roles, same password. */
const isRepeat = async (
  { passwords }: Dependencies,
  account: Account,
  { name, roles, password }: CreateUser,
): Promise<boolean> =>
  account.status === 'enabled' &&
  account.name === name &&
  [...account.roles].sort().join() === [...roles].sort().join() &&
  (await passwords.verify(account.passwordHash, password));

/** @returns how many organizations did not have this administrator or auditor yet */
const addTo = async (
  { store, now }: Dependencies,
  userId: string,
  organizationIds: readonly string[],
  add: typeof addAdministrator,
  context: CommandContext | undefined,
) => {
  let added = 0;
  for (const organizationId of organizationIds) {
    const { events } = await handle(
      store,
      organizationStream(organizationId),
      organizationDecider,
      (organization) => add(organization, { userId, now: now() }),
      { context, ...byOperator() },
    );
    added += events.length;
  }
  return added;
};
