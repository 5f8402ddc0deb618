import type { AddonGrants, GrantOfAddon } from '../../../src/commands/access/addon-grants.ts';
import type { ActivationReads } from '../../../src/reactions/end-activations.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { type Row, rowsOf } from './memory-grants.ts';

/** The grants of an add-on as the read models would show them, from a log in memory. */
export const memoryAddonGrants = (log: () => readonly RecordedEvent[]): AddonGrants => {
  const grantsOf = (addonId: string) => rowsOf({ all: log }).filter(({ terms }) => terms.addonId === addonId);
  const organizationOf = ({ terms: { subject } }: Row) =>
    subject.kind === 'organization' ? subject.organizationId : null;
  const living = async function* (addonId: string, is: (row: Row) => boolean) {
    await Promise.resolve();
    yield grantsOf(addonId)
      .filter((row) => row.ended === null && is(row))
      .map((row): GrantOfAddon => ({
        grantId: row.terms.grantId,
        organizationId: organizationOf(row),
        expiresAt: row.expiresAt,
      }));
  };
  return {
    catchUp: () => Promise.resolve(),
    outside: (addonId, scopes) =>
      living(addonId, ({ terms }) => terms.scopes.some((scope) => !scopes.includes(scope))),
    own: (addonId) => living(addonId, ({ terms }) => terms.subject.kind === 'user'),
    async *activatedFor(addonId) {
      await Promise.resolve();
      const activated = log().flatMap(({ event }) =>
        event.type === 'AddonActivated' && event.data.addonId === addonId ? [event.data.organizationId] : [],
      );
      yield [...new Set(activated)];
    },
    countEnded: (addonId, reason) => {
      const ended = grantsOf(addonId).filter((row) => row.ended === reason && row.expiresAt > row.endedAt);
      const ids = ended.map(organizationOf);
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
