import type { Scope } from '../../src/domain/access/scope.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';

/**
 * Who could read what after these events, said a second time as plainly as can be: each question is answered by looking through
 * the whole prefix. It shares nothing with the folds, the deciders or the fence.
 */
export const thenOf = (
  prefix: readonly RecordedEvent[],
  { organizationId, time }: { readonly organizationId: string; readonly time: number },
) => {
  const inStream = (stream: string) => prefix.filter((event) => event.stream === stream);
  const last = (stream: string, ...types: readonly string[]) =>
    inStream(stream).findLast(({ event }) => types.includes(event.type))?.event;
  const times = (stream: string, type: string) =>
    inStream(stream).filter(({ event }) => event.type === type).length;

  const activation = (addonId: string) =>
    last(`activation-${organizationId}.${addonId}`, 'AddonActivated', 'AddonDeactivated');
  /** Nothing is active for it any more. */
  const closed = times(`organization-${organizationId}`, 'OrganizationClosed') > 0;
  const suspended = (addonId: string) =>
    last(`addon-${addonId}`, 'AddonSuspended', 'AddonResumed')?.type === 'AddonSuspended';
  const disabled = (userId: string) =>
    last(`account-${userId}`, 'AccountDisabled', 'AccountEnabled')?.type === 'AccountDisabled';
  const hasProfile = (userId: string) => {
    const streams = new Set(
      prefix.map(({ stream }) => stream).filter((stream) => stream.startsWith(`profile-${organizationId}.`)),
    );
    return [...streams].some((stream) => {
      const newest = inStream(stream).at(-1)?.event;
      return newest?.type === 'ProfileRecorded' && newest.data.userId === userId;
    });
  };

  const openedBy = (grant: RecordedEvent) => {
    if (grant.event.type !== 'AuthorizationCodeIssued') throw new Error('no grant');
    const { grantId, addonId, subject, scopes, resources } = grant.event.data;
    const stream = `grant-${grantId}`;
    if (times(stream, 'GrantRevoked') > 0) return null;
    const active = activation(addonId);
    if (closed && active) return null;
    if (subject.kind === 'organization') {
      if (subject.organizationId !== organizationId) return null;
      if (active?.type !== 'AddonActivated' || active.data.epoch !== subject.epoch) return null;
    } else {
      const { userId } = subject;
      if (!hasProfile(userId) || active?.type === 'AddonDeactivated' || disabled(userId)) return null;
      const ends =
        times(`account-${userId}`, 'AccountDisabled') +
        times(`consent-${userId}.${addonId}`, 'ConsentWithdrawn');
      if (ends !== subject.epoch) return null;
    }
    const given = inStream(stream).flatMap(({ event }): readonly Given[] =>
      event.type === 'AuthorizationCodeRedeemed'
        ? [{ rotation: 0, scopes, data: event.data }]
        : event.type === 'TokensRefreshed'
          ? [{ rotation: event.data.rotation, scopes: event.data.scopes, data: event.data }]
          : [],
    );
    const gone = (rotation: number) =>
      inStream(stream).some(
        ({ event }) => event.type === 'AccessTokenRevoked' && event.data.rotation === rotation,
      );
    const mine = given.filter(({ rotation, data }) => {
      const forUs =
        data.resources === null ? resources.length === 0 : data.resources.includes('urn:grantbook:api');
      return forUs && time < data.accessExpiresAt && !gone(rotation);
    });
    const first = inStream(stream).find(({ event }) => event.type === 'AuthorizationCodeRedeemed')?.event;
    const newest = given.at(-1)?.data;
    if (first?.type !== 'AuthorizationCodeRedeemed' || !newest) return null;
    const renewable = Math.min(newest.refreshIdleExpiresAt, first.data.refreshAbsoluteExpiresAt);
    if (mine.length === 0 && time >= renewable) return null;
    const held = suspended(addonId);
    const open = new Set<Scope>(held ? [] : mine.flatMap((token) => token.scopes));
    return {
      grantId,
      openScopes: scopes.filter((scope) => open.has(scope)),
      renewableUntil: time < renewable ? renewable : null,
      suspended: held,
    };
  };

  const members = (added: string, removed: string) => {
    const people: string[] = [];
    for (const { event } of inStream(`organization-${organizationId}`)) {
      if (!('userId' in event.data)) continue;
      const { userId } = event.data as { readonly userId: string };
      if (event.type === added && !people.includes(userId)) people.push(userId);
      if (event.type === removed) people.splice(people.indexOf(userId), people.includes(userId) ? 1 : 0);
    }
    return people.toSorted();
  };
  const addons = [...new Set(prefix.map(({ stream }) => stream))]
    .filter((stream) => stream.startsWith(`activation-${organizationId}.`))
    .map((stream) => stream.slice(stream.indexOf('.') + 1));
  return {
    administrators: members('AdministratorAdded', 'AdministratorRemoved'),
    auditors: members('AuditorAdded', 'AuditorRemoved'),
    activations: addons.flatMap((addonId) => {
      const now = activation(addonId);
      return now?.type === 'AddonActivated' || now?.type === 'AddonDeactivated'
        ? [
            {
              addonId,
              active: now.type === 'AddonActivated' && !closed,
              epoch: now.data.epoch,
              suspended: suspended(addonId),
            },
          ]
        : [];
    }),
    grants: prefix
      .filter(({ event }) => event.type === 'AuthorizationCodeIssued')
      .flatMap((grant) => openedBy(grant) ?? []),
  };
};

type Given = {
  readonly rotation: number;
  readonly scopes: readonly Scope[];
  readonly data: {
    readonly accessExpiresAt: number;
    readonly refreshIdleExpiresAt: number;
    readonly resources: readonly string[] | null;
  };
};
