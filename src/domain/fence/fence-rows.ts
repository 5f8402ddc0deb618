import type { DomainEvent, EventType } from '../events.ts';
import {
  accessSubject,
  accountSubject,
  activationSubject,
  addonSubject,
  consentSubject,
  grantSubject,
  organizationSubject,
  type FenceRow,
  type FenceSubject,
} from './fence.ts';
import { idOf } from '../kernel/stream-name.ts';

type Told = {
  readonly stream: string;
  readonly revision: bigint;
  readonly event: DomainEvent;
};

/** The events that lead to a row of the fence: they end or open access. */
export const fenceEventTypes = [
  'AddonActivated',
  'AddonDeactivated',
  'AddonSuspended',
  'AddonResumed',
  'AddonRetired',
  'GrantRevoked',
  'AccessTokenRevoked',
  'AccountDisabled',
  'AccountEnabled',
  'ConsentWithdrawn',
  'OrganizationClosed',
] as const satisfies readonly EventType[];

/** The row of the fence that an event leads to; null for the others. */
export const fenceRowOf = ({ stream, revision, event }: Told): FenceRow | null => {
  const id = idOf(stream);
  const row = (subject: FenceSubject, open: boolean, epoch = 0): FenceRow => ({
    subject,
    revision,
    epoch,
    open,
  });
  if (event.type === 'AddonActivated' || event.type === 'AddonDeactivated') {
    const { organizationId, addonId, epoch } = event.data;
    return row(activationSubject(organizationId, addonId), event.type === 'AddonActivated', epoch);
  }
  if (event.type === 'AddonSuspended' || event.type === 'AddonRetired') return row(addonSubject(id), false);
  if (event.type === 'AddonResumed') return row(addonSubject(id), true);
  if (event.type === 'OrganizationClosed') return row(organizationSubject(id), false);
  if (event.type === 'GrantRevoked') return row(grantSubject(id), false);
  if (event.type === 'AccessTokenRevoked') return row(accessSubject(id, event.data.rotation), false);
  if (event.type === 'AccountDisabled' || event.type === 'AccountEnabled')
    return row(accountSubject(id), event.type === 'AccountEnabled', event.data.epoch);
  if (event.type !== 'ConsentWithdrawn') return null;
  const { userId, addonId, epoch } = event.data;
  // An organization's integration does not depend on what one administrator approved (AC-03).
  return id === `${userId}.${addonId}` ? row(consentSubject(userId, addonId), true, epoch) : null;
};

/** The newest row of each subject, from these events in their order and the rows that were known before. */
export const fenceRowsIn = (told: readonly Told[], known: readonly FenceRow[] = []): readonly FenceRow[] => {
  const rows = new Map<FenceSubject, FenceRow>(known.map((row) => [row.subject, row]));
  for (const event of told) {
    const row = fenceRowOf(event);
    if (row) rows.set(row.subject, row);
  }
  return [...rows.values()];
};
