import { load } from '../../src/commands/kernel/handle.ts';
import { activationDecider } from '../../src/domain/organizations/activation.ts';
import { activationSubject } from '../../src/domain/fence/fence.ts';
import { activationStream } from '../../src/domain/streams.ts';
import type { Position } from '../../src/eventstore/event-store.ts';
import type { Pool } from 'pg';
import { writeFenceStatement } from '../../src/projections/fence/fence-statement.ts';
import { epoch, type Stage } from './stage.ts';

/**
 * Restores a deactivated activation under its former epoch, so that its million tokens need to be seeded only once.
 * Only a bench can do that: a regular activation always begins a new epoch, under which no token is valid. The result
 * is the state before a first deactivation, except for two more events in the activation's stream each time; this is
 * the same for every size.
 */
export const revive = async (
  { core: { store }, clientId: addonId }: Stage,
  pool: Pool,
  organizationId: string,
): Promise<Position> => {
  const stream = activationStream(organizationId, addonId);
  const known = await load(store, stream, activationDecider);
  const data = { organizationId, addonId, epoch, by: 'break-glass', at: Date.now() };
  const appended = await store.append(stream, known.revision, [{ event: { type: 'AddonActivated', data } }]);
  if (!appended.ok) throw new Error('an activation changed while the bench brought it back to life');
  const subject = activationSubject(organizationId, addonId);
  await pool.query(writeFenceStatement([{ subject, revision: appended.revision, epoch, open: true }]));
  return appended.position;
};
