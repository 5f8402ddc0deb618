import { expect } from 'vitest';
import { accessRight } from '../../../src/domain/records/access-right.ts';
import { profile } from '../../../src/domain/records/profile.ts';
import { reservation } from '../../../src/domain/records/reservation.ts';
import type { People } from './people.ts';
import type { Story } from './story.ts';

const records = [
  { resource: profile, command: 'recordProfile' },
  { resource: reservation, command: 'recordReservation' },
  { resource: accessRight, command: 'recordAccessRight' },
] as const;

const recordAll = async (
  { running, done }: Story,
  organizationId: string,
  { version, isThere, effect }: { version: number; isThere: boolean; effect: string },
) => {
  const { commands } = running.core;
  for (const { resource, command } of records) {
    const record = isThere ? (resource.example.record as never) : null;
    const recorded = await done(`${command}, version ${version}`, () =>
      commands[command]({ organizationId, id: 'R1', version, record }),
    );
    expect(recorded.effect).toBe(effect);
  }
};

/** organization, externalId, audit, records */
export const beginOrganizations = async (story: Story, { organizationId, auditorId }: People) => {
  const { running, done, says } = story;
  const { commands } = running.core;
  const other = await done('another organization', () => commands.createOrganization({ name: 'Quay' }));
  const give = (id: string, externalId: string) => () =>
    commands.updateOrganization({ organizationId: id, externalId });
  await done('an organization gets an external id', give(organizationId, 'E1'));
  await says('by which it is found', () => commands.organizationOf('E1'), organizationId);
  await done('it gets another one', give(organizationId, 'E2'));
  await done('the first is free', give(other.organizationId, 'E1'));
  await done('it gets another administrator', () =>
    commands.addAdministrator({ organizationId, userId: auditorId }),
  );
  await done('it gets an auditor', () => commands.addAuditor({ organizationId, userId: auditorId }));
  await says('who is one', () => commands.isAuditor(organizationId, auditorId), true);
  for (const by of [auditorId, 'operator', auditorId])
    await story.step('somebody asks', () =>
      commands.recordAuditQuery({ by, organizationId, query: 'timeline', parameters: {} }),
    );
  await recordAll(story, organizationId, { version: 1, isThere: true, effect: 'added' });
  await recordAll(story, organizationId, { version: 2, isThere: true, effect: 'changed' });
  return { otherId: other.organizationId };
};

export const goOnWithOrganizations = async (
  story: Story,
  { organizationId, auditorId }: People,
  { otherId }: Awaited<ReturnType<typeof beginOrganizations>>,
) => {
  const { running, done, says } = story;
  const { commands } = running.core;
  await says('it is found by its id', () => commands.organizationOf('E2'), organizationId);
  await done('its id goes to another', () =>
    commands.updateOrganization({ organizationId, externalId: null }),
  );
  await done('which gets it', () =>
    commands.updateOrganization({ organizationId: otherId, externalId: 'E2' }),
  );
  await done('its auditor is removed', () => commands.removeAuditor({ organizationId, userId: auditorId }));
  await story.step('an operator asks', () =>
    commands.recordAuditQuery({ by: 'operator', organizationId, query: 'grants', parameters: {} }),
  );
  await recordAll(story, organizationId, { version: 3, isThere: false, effect: 'removed' });
  await done('a profile is erased', () => commands.eraseProfile({ organizationId, id: 'R1' }));
  await done('an organization is closed', () => commands.closeOrganization({ organizationId: otherId }));
};
