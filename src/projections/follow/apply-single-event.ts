import type { EventReference, ReadEvent } from '../../eventstore/event-store.ts';
import type { Lease } from './checkpoint.ts';
import { applyTo, referenceIn, routeOf, toPark } from './fold-messages.ts';
import { park, type ToPark } from '../parking/park.ts';
import { mostParkedKeys, type ParkedKeys } from '../parking/parked-keys.ts';
import { describePoison, isDeterministic, isPoison } from '../parking/poison.ts';
import { ProjectionStuck } from './projection-stuck.ts';
import type { Projection, Tx } from './projection.ts';

export type BatchDependencies = {
  readonly client: Tx;
  readonly lease: Lease;
  readonly projections: readonly Projection[];
  /** Without it, an event that cannot be applied stops everything. */
  readonly parked?: ParkedKeys;
  /** Called for each event that is parked because it failed, after the commit. */
  readonly poisoned?: (event: EventReference, projection: string, error: string) => void;
};

export type Failed = { readonly projection: string; readonly error: string };

/**
 * Applies one event to each projection separately, within a transaction that has moved the checkpoint. Where it fails,
 * it is parked.
 * @returns where it failed
 * @throws ProjectionStuck where it must not be parked; anything else is transient
 */
export const applySingleEvent = async (
  { client, lease, projections, parked }: BatchDependencies & { readonly parked: ParkedKeys },
  message: ReadEvent,
): Promise<readonly Failed[]> => {
  const toBeParked: ToPark[] = [];
  const failed: Failed[] = [];
  for (const projection of projections) {
    const route = routeOf(parked, projection, message);
    if (route === 'wait') toBeParked.push(toPark(projection, message, null));
    if (route !== 'apply') continue;
    const error = await applyInSavepoint(client, projection, message);
    if (error === null) continue;
    if (!isPoison(error)) throw new ProjectionStuck(referenceIn(message), error);
    failed.push({ projection: projection.name, error: describePoison(error) });
    toBeParked.push(toPark(projection, message, describePoison(error)));
  }
  if (parked.count() + failed.length > mostParkedKeys)
    throw new ProjectionStuck(
      referenceIn(message),
      new Error(`${mostParkedKeys} keys are parked: the problem is not single events`),
    );
  await park(client, lease.name, toBeParked);
  return failed;
};

/**
 * @returns why it cannot be applied, with none of its changes left in the transaction; null when it is written. @throws
 * when the failure is transient
 */
export const applyInSavepoint = async (
  tx: Tx,
  projection: Projection,
  message: ReadEvent,
): Promise<unknown> => {
  await tx.query('savepoint one_event');
  try {
    const batch = projection.begin();
    applyTo(batch, projection, message);
    await batch.write(tx);
    await tx.query('release savepoint one_event');
    return null;
  } catch (error) {
    if (!isDeterministic(error)) throw error;
    await tx.query('rollback to savepoint one_event');
    return error;
  }
};
