import type { EventType } from '../domain/events.ts';
import type { Past } from '../domain/signals/notice.ts';
import { removedStreamsOf } from '../domain/log/retention.ts';
import { idOf, isOfCategory } from '../domain/kernel/stream-name.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import type { Handlers, Tx } from '../projections/follow/projection.ts';
import {
  addHolders,
  readDeactivations,
  readGrants,
  readHolders,
  removeHolders,
  removeUnredeemed,
  writeDeactivations,
  writeGrants,
  type Activation,
  type Deactivation,
  type KeptGrant,
  type KeptGrants,
  type KeptHolders,
} from './earlier-events-table.ts';

type Changes = {
  /** Null: it has ended. */
  readonly keep: (grantId: string, grant: KeptGrant | null) => void;
  readonly redeem: (grantId: string) => void;
  readonly deactivate: (deactivation: Deactivation) => void;
  readonly forget: (userId: string) => void;
};

/** The events that change whose a grant is, or who ever held one. */
const changing = {
  AuthorizationCodeIssued: ({ keep }, { grantId, addonId, userId, subject }, { created }) => {
    const organizationId = subject.kind === 'organization' ? subject.organizationId : null;
    keep(grantId, {
      addonId,
      organizationId,
      epoch: subject.epoch,
      userId,
      redeemed: false,
      issuedAt: created,
    });
  },
  AuthorizationCodeRedeemed: ({ redeem }, _data, { stream }) => redeem(idOf(stream)),
  GrantRevoked: ({ keep }, _data, { stream }) => keep(idOf(stream), null),
  AddonDeactivated: ({ deactivate }, data) => deactivate(data),
  AccountErased: ({ forget }, _data, { stream }) => forget(idOf(stream)),
  StreamsRemoved: ({ keep }, data) => {
    for (const removed of removedStreamsOf(data))
      if (isOfCategory(removed, 'grant')) keep(idOf(removed), null);
  },
} satisfies Handlers<Changes>;

export const pastTypes = Object.keys(changing) as readonly (keyof typeof changing)[];

/** The past of one batch: loaded for it, changed by its events in their order, and stored again. */
export type KeptPast = Past & {
  apply(event: RecordedEvent): void;
  store(tx: Tx): Promise<void>;
};

/** Loads what these events ask for. */
export const loadPast = async (tx: Tx, events: readonly RecordedEvent[]): Promise<KeptPast> => {
  const grants = await readGrants(tx, grantsOf(events));
  const ended = new Map<string, Deactivation>();
  for (const deactivation of await readDeactivations(tx, activationsOf(events, grants)))
    ended.set(keyOf(deactivation), deactivation);
  const holders = await readHolders(tx, usersOf(events));
  const deactivated = new Map<string, Deactivation>();
  const changed = new Set<string>();
  const forgotten = new Set<string>();
  const added: KeptHolders = new Map();

  const keep = (grantId: string, grant: KeptGrant | null): void => {
    changed.add(grantId);
    if (grant === null) grants.delete(grantId);
    else grants.set(grantId, grant);
  };
  const redeem = (grantId: string): void => {
    const grant = grants.get(grantId);
    if (!grant) return; // its stream is gone, so no SET can be made of it
    keep(grantId, { ...grant, redeemed: true });
    for (const known of [holders, added]) hold(known, grant);
  };
  const deactivate = ({ organizationId, addonId, epoch }: Deactivation): void => {
    for (const known of [ended, deactivated])
      known.set(keyOf({ organizationId, addonId }), { organizationId, addonId, epoch });
  };
  /** Whoever revokes it next, before the reaction does. */
  const isToldBefore = ({ organizationId, addonId, epoch }: KeptGrant): boolean =>
    organizationId !== null && epoch <= (ended.get(keyOf({ organizationId, addonId }))?.epoch ?? 0);
  const forget = (userId: string): void => {
    holders.delete(userId);
    added.delete(userId);
    forgotten.add(userId);
  };

  return {
    grant: (grantId) => {
      const grant = grants.get(grantId);
      return grant?.redeemed && !isToldBefore(grant) ? grant : null;
    },
    holders: (userId) =>
      [...(holders.get(userId) ?? [])]
        .map(([addonId, own]) => ({ addonId, own }))
        .toSorted((a, b) => (a.addonId < b.addonId ? -1 : 1)),
    apply(event) {
      const change = (changing as Handlers<Changes>)[event.event.type] as
        ((changes: Changes, data: unknown, event: RecordedEvent) => void) | undefined;
      change?.({ keep, redeem, deactivate, forget }, event.event.data, event);
    },
    async store(tx) {
      await writeGrants(tx, changed, grants);
      await writeDeactivations(tx, [...deactivated.values()]);
      await removeHolders(tx, [...forgotten]);
      await addHolders(tx, added);
      const newest = events.findLast(({ event }) => event.type === 'AuthorizationCodeIssued');
      if (newest) await removeUnredeemed(tx, newest.created - unredeemedStay);
    },
  };
};

/** Longer than any code is valid, by the log's own time: the worker may be far behind. */
const unredeemedStay = 86_400_000;

const hold = (holders: KeptHolders, { userId, addonId, organizationId }: KeptGrant): void => {
  const ofUser = holders.get(userId) ?? new Map<string, boolean>();
  holders.set(userId, ofUser.set(addonId, organizationId === null || ofUser.get(addonId) === true));
};

const grantsOf = (events: readonly RecordedEvent[]): readonly string[] => [
  ...new Set(
    events
      .filter(
        ({ event, stream }) => isOfCategory(stream, 'grant') && event.type !== 'AuthorizationCodeIssued',
      )
      .map(({ stream }) => idOf(stream)),
  ),
];

const keyOf = ({ organizationId, addonId }: Activation): string => `${organizationId} ${addonId}`;

const ending: readonly EventType[] = ['GrantRevoked', 'AccessTokenRevoked'];

const activationsOf = (
  events: readonly RecordedEvent[],
  grants: Readonly<KeptGrants>,
): readonly Activation[] => {
  if (!events.some(({ event }) => ending.includes(event.type))) return [];
  const given = [...grants.values()].flatMap(({ organizationId, addonId }) =>
    organizationId === null ? [] : [{ organizationId, addonId }],
  );
  const issued = events.flatMap(({ event }) =>
    event.type === 'AuthorizationCodeIssued' && event.data.subject.kind === 'organization'
      ? [{ organizationId: event.data.subject.organizationId, addonId: event.data.addonId }]
      : [],
  );
  return [...given, ...issued];
};

const usersOf = (events: readonly RecordedEvent[]): readonly string[] => [
  ...new Set(events.flatMap((event) => userOf(event) ?? [])),
];

const ofAccounts: readonly EventType[] = ['AccountDisabled', 'AccountEnabled', 'AccountErased'];

/** Whose access an event may end. */
const userOf = ({ event, stream }: RecordedEvent): string | null => {
  if (event.type === 'ConsentWithdrawn') return event.data.userId;
  return ofAccounts.includes(event.type) ? idOf(stream) : null;
};
