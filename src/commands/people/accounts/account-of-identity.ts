import { addressOf, type KnownAccount, type Role } from '../../../domain/people/account.ts';
import { type ProvidersWord, takeProvidersWord } from '../../../domain/people/account-from-provider.ts';
import { emailProblem, normaliseEmail } from '../../../domain/people/email.ts';
import { normaliseExternalId } from '../../../domain/organizations/external-id.ts';
import { nearestPersonName } from '../../../domain/kernel/name.ts';
import { isUlid } from '../../../domain/kernel/ids.ts';
import type { Position } from '../../../eventstore/event-store.ts';
import { type AccountClaims, makeAccountClaims } from './account-claims.ts';
import { makeApplyMapping } from './apply-mapping.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { AccountDependencies } from '../dependencies.ts';
import { loadAccount } from './load-account.ts';
import { organizationsInClaim } from '../../organizations/organization-in-claim.ts';
import { mapInBatches } from '../../kernel/map-in-batches.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { publisherNow } from '../../../eventstore/state-of.ts';
import { onAccount } from '../../kernel/handle-retrying.ts';

/** A user of an identity provider who has just signed in there, as its verified id_token says. */
export type AccountOfIdentity = {
  /** The provider's `id` in the configuration. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** As claimed; null when the provider names none. Neither has to be valid. */
  readonly name: string | null;
  readonly email: string | null;
  /** The provider vouches for the address. */
  readonly emailVerified: boolean;
  readonly mapped: {
    /** `organization_id` or `external_id` of organizations; what names no organization is ignored. */
    readonly administratorOf: readonly string[];
    readonly roles: readonly Role[];
    /** `publisher_id`; what names no publisher is ignored. */
    readonly publishers?: readonly string[];
  };
};

export type IdentifiedAccount = Pick<KnownAccount, 'userId' | 'name' | 'email' | 'roles'> & {
  /**
   * Where the account's sessions were last ended, before this sign-in: whoever starts a session compares it afterwards
   * (`isSameEnding`), because an ending in between does not end the new session by itself.
   */
  readonly sessionsEnded: Position | null;
  /** Where the log has the newest change by the mapping of claims: read models do not show it at once. */
  readonly mappedAt: Position | null;
};

type Dependencies = Pick<AccountDependencies, 'store' | 'now' | 'newId' | 'persons' | 'namesOfOrganizations'>;

/**
 * The account of (`issuer`, `subject`) (FE-03), made at the first sign-in, then kept to the provider's word; roles are this sign-in's (FE-04).
 * An address without a voucher, or of another account, is for display. The next sign-in continues after a crash.
 */
export const makeAccountOfIdentity = (dependencies: Dependencies) => {
  const { store, now, newId, persons } = dependencies;
  const applyMapping = makeApplyMapping(dependencies);
  const claims = makeAccountClaims(dependencies);
  return async (
    request: AccountOfIdentity,
    context?: CommandContext,
  ): Promise<Outcome<IdentifiedAccount, 'user-disabled' | 'user-erased'>> => {
    const { provider, issuer, subject } = request;
    const digest = await persons.identityDigest(issuer, subject);
    const identity = { provider, issuer, subject, digest };
    const names = new Set(request.mapped.administratorOf.map(normaliseExternalId));
    for (;;) {
      const userId = await userOf(claims, digest, newId(), context);
      const by = { context, metadata: { actor: userId } };
      const { account, sessionsEnded } = await loadAccount(store, userId);
      const mapped = account.status === 'absent' ? [] : account.mapped;
      const organizationIds = [...(await organizationsInClaim(dependencies, names, mapped))];
      const publisherIds = await publishersIn(dependencies, request.mapped.publishers ?? []);
      const said = wordOf(request, { identity, organizationIds, publisherIds });
      const vouched = request.emailVerified ? said.email : null;
      const isOwnEmail =
        vouched !== null &&
        account.status === 'enabled' &&
        (addressOf(account) === vouched || (await claims.take('address', vouched, userId, by)) === userId);
      const { refusal } = await onAccount(
        store,
        userId,
        (present) => takeProvidersWord(present, { ...said, isOwnEmail, userId, now: now() }),
        by,
      );
      const taken = vouched === null ? {} : { address: [vouched] };
      const settled = (await claims.settle(userId, by, taken)) as KnownAccount;
      if (refusal && refusal !== 'identity-unlinked') return { ok: false, refusal };
      // Unlinked by an operator at this moment: it is looked up again.
      if (!settled.identities.some((linked) => linked.digest === digest)) continue;
      // The address is claimed for an account that exists.
      if (account.status === 'absent' && vouched !== null) continue;
      const mappedAt = await applyMapping(userId, userId, context);
      const { name, email, roles } = settled;
      return { ok: true, value: { userId, name, email, roles, sessionsEnded, mappedAt } };
    }
  };
};

/** The user whom the identity opens: of a link or of a first sign-in that a crash has interrupted, too. */
const userOf = async (
  claims: AccountClaims,
  digest: string,
  newUserId: string,
  context: CommandContext | undefined,
): Promise<string> =>
  (await claims.identity.ownerOf(digest)) ??
  claims.takeForNew('identity', digest, newUserId, { context, metadata: { actor: newUserId } });

/** No person is a member of more by claim. */
const mostPublishers = 100;

/** Those that are there, by the log. */
const publishersIn = async (
  { store }: Pick<Dependencies, 'store'>,
  names: readonly string[],
): Promise<readonly string[]> => {
  const ids = names.filter(isUlid).slice(0, mostPublishers);
  const found = await mapInBatches(ids, (id) => publisherNow(store, id));
  return ids.filter((_, index) => found[index]?.status === 'created');
};

type Known = Pick<ProvidersWord, 'identity' | 'organizationIds' | 'publisherIds'>;

const wordOf = (
  { name, email, emailVerified, subject, mapped }: AccountOfIdentity,
  known: Known,
): Omit<ProvidersWord, 'userId' | 'isOwnEmail' | 'now'> => {
  const address = email === null ? null : normaliseEmail(email);
  const valid = address !== null && emailProblem(address) === null ? address : null;
  const vouched = emailVerified ? valid : null;
  return {
    ...known,
    name: name === null ? null : nearestPersonName(name),
    nameOtherwise: nearestPersonName(vouched?.split('@')[0] ?? subject) ?? known.identity.provider,
    email: valid,
    roles: mapped.roles,
  };
};
