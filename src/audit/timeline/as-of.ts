import { breakGlass } from '../../domain/kernel/actor.ts';
import {
  isClosed,
  organizationDecider,
  type Organization,
  type OrganizationEvent,
} from '../../domain/organizations/organization.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { Position, RecordedEvent, StoredEvent } from '../../eventstore/event-store.ts';
import { accessTypes, makeAccessFold, type AccessFold, type KnownGrant } from '../access/access-fold.ts';
import { makeProfileUsers } from '../access/profile-users.ts';
import { recordChangeIn, type RecordChange } from '../../domain/records/record-change.ts';
import type { EventLookupDependencies } from '../event-lookup/dependencies.ts';
import { organizationAccess } from '../event-lookup/organization-access.ts';
import { decodeUnlessSkipped, type Decode } from '../read-events.ts';

/** The moment of a query, inclusive: a time of the log's own clock (milliseconds since the Unix epoch), or an event with its time. */
export type Moment = {
  readonly time: number;
  /** Inclusive. */
  readonly position?: Position;
};

export type ActivationThen = {
  readonly addonId: string;
  readonly status: 'active' | 'deactivated';
  readonly epoch: number;
  readonly since: RecordedEvent;
  readonly by: string;
  readonly suspended: boolean;
};

/** A grant with which something could be read at that moment, or could be after a refresh. */
export type GrantThen = {
  readonly grant: KnownGrant;
  readonly openScopes: readonly Scope[];
  /** When the last of them expires; null when none was accepted. */
  readonly openUntil: number | null;
  /** Until when the add-on could get new ones, if nothing else happened; null when it could not. */
  readonly renewableUntil: number | null;
  /** Refused while the add-on was suspended, and valid again afterwards. */
  readonly suspended: boolean;
};

export type AsOf = {
  readonly organization: Organization;
  /**
   * Of the last event up to the moment that changed something for the organization; of its profiles' events, only those
   * that changed whose a profile is. Null for none.
   */
  readonly position: Position | null;
  readonly time: number;
  readonly activations: readonly ActivationThen[];
  /** In the order of issue: grants for the organization's records, and grants for the own records of users that its profiles name. */
  readonly grants: readonly GrantThen[];
  /** Codes that could still be exchanged. */
  readonly codes: number;
};

/** Folds events in the order of the log, and can be queried after any event. */
export const makeAsOfFold = (organizationId: string) => {
  let organization: Organization = organizationDecider.initial;
  const activations = new Map<string, Omit<ActivationThen, 'suspended'>>();
  const users = makeProfileUsers();
  const access = makeAccessFold(
    ({ subject }) => subject.kind === 'user' || subject.organizationId === organizationId,
  );
  return {
    /** @returns whether it changed anything here */
    applyRecord(change: RecordChange): boolean {
      return users.apply(change);
    },
    apply(recorded: RecordedEvent): void {
      const { event, stream } = recorded;
      if (stream === `organization-${organizationId}`)
        organization = organizationDecider.evolve(organization, event as OrganizationEvent);
      // A closed organization has no access to give: what ended with it, its activations record later (ADR 104).
      if (event.type === 'OrganizationClosed')
        for (const [addonId, activation] of activations) {
          const by = recorded.metadata.actor ?? breakGlass;
          if (isClosed(organization) && activation.status === 'active')
            activations.set(addonId, { ...activation, by, status: 'deactivated', since: recorded });
        }
      if (
        !isClosed(organization) &&
        (event.type === 'AddonActivated' || event.type === 'AddonDeactivated') &&
        event.data.organizationId === organizationId
      ) {
        const { addonId, epoch, by } = event.data;
        const status = event.type === 'AddonActivated' ? 'active' : 'deactivated';
        activations.set(addonId, { addonId, epoch, by, status, since: recorded });
      }
      access.apply(recorded);
    },
    at(time: number): Omit<AsOf, 'position' | 'time'> {
      const grants = [...access.grants()].filter(({ terms: { subject, addonId } }) =>
        subject.kind === 'organization'
          ? true
          : users.has(subject.userId) && access.showsOwn(organizationId, addonId),
      );
      return {
        organization,
        activations: [...activations.values()].map((activation) => ({
          ...activation,
          suspended: access.isSuspended(activation.addonId),
        })),
        grants: grants.flatMap((grant) => grantAt(access, grant, time) ?? []),
        codes: grants.filter(
          ({ redeemed, terms }) =>
            redeemed === null &&
            time < terms.expiresAt &&
            !access.isSuspended(terms.addonId) &&
            access.refusalOf(terms, { needsApprover: true }) === null,
        ).length,
      };
    },
  };
};

const grantAt = (access: AccessFold, grant: KnownGrant, time: number): GrantThen | null => {
  const { terms, redeemed, renewableUntil, absoluteUntil, tokens } = grant;
  if (redeemed === null || renewableUntil === null) return null;
  if (access.refusalOf(terms) !== null) return null;
  const suspended = access.isSuspended(terms.addonId);
  const alive = tokens.filter(({ ownApi, expiresAt }) => ownApi && time < expiresAt);
  const working = alive.filter(({ rotation }) => access.refusalOf(terms, { rotation }) === null);
  const open = suspended ? [] : working;
  const until = Math.min(renewableUntil, absoluteUntil);
  const renewable = time < until;
  if (working.length === 0 && !renewable) return null;
  const scopes = new Set(open.flatMap((token) => token.scopes));
  return {
    grant,
    openScopes: terms.scopes.filter((scope) => scopes.has(scope)),
    openUntil: open.length === 0 ? null : Math.max(...open.map(({ expiresAt }) => expiresAt)),
    renewableUntil: renewable ? until : null,
    suspended,
  };
};

export type AsOfDependencies = {
  /** Everything that access to the organization's records depends on, in the order of the log and up to the moment. */
  readonly events: AsyncIterable<StoredEvent>;
  readonly decode: Decode;
  readonly now: () => number;
};

/** Folds the events about the organization up to the moment, or up to now when the moment is in the future. */
export const asOf = async (
  { events, decode, now }: AsOfDependencies,
  organizationId: string,
  moment: Moment,
): Promise<AsOf> => {
  const fold = makeAsOfFold(organizationId);
  let last: StoredEvent | null = null;
  for await (const stored of events) {
    const change = recordChangeIn(stored);
    if (change === null || fold.applyRecord(change)) last = stored;
    if (change === null && isLookedAt(stored)) {
      const recorded = await decodeUnlessSkipped(decode, stored);
      if (recorded) fold.apply(recorded);
    }
  }
  const time = moment.position ? moment.time : Math.min(moment.time, Math.max(now(), last?.created ?? 0));
  return { ...fold.at(time), position: last?.position ?? null, time };
};

export type AskAsOfDependencies = Omit<AsOfDependencies, 'events'> & {
  readonly lookup: EventLookupDependencies;
};

/** The same from the log. @throws Interrupted */
export const makeAskAsOf =
  ({ lookup, decode, now }: AskAsOfDependencies) =>
  async (organizationId: string, moment: Moment, signal: AbortSignal): Promise<AsOf> => {
    const until = moment.position ?? (await lookup.log.head());
    const range = { ...(!moment.position && { time: moment.time }), signal };
    const events = until
      ? organizationAccess(lookup, { organizationId, records: 'profiles' }, { ...range, until })
      : none;
    return asOf({ events, decode, now }, organizationId, moment);
  };

/** For an empty log. */
const none: AsyncIterable<never> = (async function* () {})();

const organizationTypes =
  /^(?:Organization|Administrator|Auditor)(?:Created|Added|Removed|Renamed|ExternalIdSet|Closed)$/;
const isLookedAt = ({ type }: StoredEvent): boolean => accessTypes.has(type) || organizationTypes.test(type);
