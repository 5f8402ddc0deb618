import type { AddonGrants, GrantOfAddon } from '../../../src/commands/access/addon-grants.ts';
import type { ActivationReads } from '../../../src/reactions/end-activations.ts';
import type { GrantSubject } from '../../../src/domain/access/grant.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';

type Held = { readonly subject: GrantSubject; readonly scopes: readonly string[]; reason: string | null };

/** The grants of an add-on as the read models would show them, from a log in memory. */
export const memoryAddonGrants = (log: () => readonly RecordedEvent[]): AddonGrants => {
  const grantsOf = (addonId: string) => {
    const grants = new Map<string, Held>();
    for (const { stream, event } of log()) {
      if (event.type === 'AuthorizationCodeIssued' && event.data.addonId === addonId)
        grants.set(event.data.grantId, { ...event.data, reason: null });
      const held = event.type === 'GrantRevoked' && grants.get(stream.slice('grant-'.length));
      if (held) held.reason = event.data.reason;
    }
    return [...grants];
  };
  const organizationOf = ({ subject }: Held) =>
    subject.kind === 'organization' ? subject.organizationId : null;
  const living = async function* (addonId: string, is: (held: Held) => boolean) {
    await Promise.resolve();
    yield grantsOf(addonId).flatMap(([grantId, held]): readonly GrantOfAddon[] =>
      held.reason === null && is(held) ? [{ grantId, organizationId: organizationOf(held) }] : [],
    );
  };
  return {
    catchUp: () => Promise.resolve(),
    outside: (addonId, scopes) =>
      living(addonId, (held) => held.scopes.some((scope) => !scopes.some((allowed) => allowed === scope))),
    own: (addonId) => living(addonId, ({ subject }) => subject.kind === 'user'),
    async *activatedFor(addonId) {
      await Promise.resolve();
      const activated = log().flatMap(({ event }) =>
        event.type === 'AddonActivated' && event.data.addonId === addonId ? [event.data.organizationId] : [],
      );
      yield [...new Set(activated)];
    },
    countEnded: (addonId, reason) => {
      const ended = grantsOf(addonId).filter(([, held]) => held.reason === reason);
      const ids = ended.map(([, held]) => organizationOf(held));
      return Promise.resolve(
        [...new Set(ids)].map((organizationId) => ({
          organizationId,
          grants: ids.filter((id) => id === organizationId).length,
        })),
      );
    },
  };
};

/** What ends with an organization or an add-on, as the read models would show it. */
export const memoryActivationReads = (log: () => readonly RecordedEvent[]): ActivationReads => ({
  ...memoryAddonGrants(log),
  addonsActivatedFor: (organizationId) => {
    const activated = log().flatMap(({ event }) =>
      event.type === 'AddonActivated' && event.data.organizationId === organizationId
        ? [event.data.addonId]
        : [],
    );
    return Promise.resolve([...new Set(activated)].toSorted());
  },
});
