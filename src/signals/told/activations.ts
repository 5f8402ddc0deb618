import type { EventOf } from '../../domain/events.ts';
import { activationSubject, own, type Telling, type Told } from './told.ts';

type Switched = EventOf<'AddonActivated' | 'AddonDeactivated'>['data'];

const switched =
  (name: 'addon-activated' | 'addon-deactivated', reason: string) =>
  ({ organizationId, addonId, epoch, at }: Switched, telling: Telling): readonly Told[] => [
    {
      addonId,
      queue: `organization:${organizationId}`,
      subId: activationSubject(organizationId, addonId),
      ...own(name, telling, at, { organization_id: organizationId, epoch, reason }),
    },
  ];

export const activated = switched('addon-activated', 'The add-on was activated for the organization.');
export const deactivated = switched('addon-deactivated', 'The add-on was deactivated for the organization.');
