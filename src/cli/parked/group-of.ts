import { writeSide } from '../../domain/log/parked-event.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { liveReadModels } from '../../projections/follow/checkpoint.ts';
import { historyGroup, historyProjections } from '../../projections/history/history.ts';
import type { ParkedKey } from '../../projections/parking/parked-rows.ts';
import type { Projection, Tx } from '../../projections/follow/projection.ts';
import { readModelProjections } from '../../projections/read-model-projections.ts';
import { signalsGroup, signalsTypes } from '../../signals/projection.ts';
import type { CliService } from '../base/service.ts';

export type Group =
  /** The projection that applies them (or queues what they tell add-ons), and the schema of its tables if it is a candidate version. */
  | { readonly kind: 'read-model'; readonly projection: Projection; readonly schema?: string }
  /** A reaction; or the write side, which only has to decode them. */
  | { readonly kind: 'reaction'; readonly handle: ((event: RecordedEvent) => Promise<void>) | null };

type Dependencies = { readonly tx: Tx } & Pick<CliService, 'reactions' | 'signalsProjection'>;

/** Null for a consumer that this version does not know: a newer one has parked the event. */
export const groupOf = async (
  { tx, reactions, signalsProjection }: Dependencies,
  { checkpoint, projection: name }: ParkedKey,
): Promise<Group | null> => {
  if (name === writeSide) return { kind: 'reaction', handle: null };
  const react = Object.hasOwn(reactions, name) ? reactions[name] : undefined;
  if (react) return { kind: 'reaction', handle: (event) => react(event, AbortSignal.timeout(patienceMs)) };
  if (name === signalsGroup) return { kind: 'read-model', projection: signalsProjection };
  const projection = known.find((one) => one.name === name);
  if (!projection) return null;
  if (checkpoint === liveReadModels || checkpoint === historyGroup) return { kind: 'read-model', projection };
  const { rows } = await tx.query<{ readonly schema: string }>(
    `select schema from projection_versions
     where starts_with($1 || ':', 'rebuild:' || name || ':v' || version || ':')`,
    [checkpoint],
  );
  const [version] = rows;
  return version ? { kind: 'read-model', projection, schema: version.schema } : null;
};

const patienceMs = 600_000;

const known: readonly Projection[] = [...readModelProjections, ...historyProjections];

/** All read models that consume events of the type, and the worker of signals if it does. */
export const readModelsOf = (type: string): readonly string[] =>
  [...known, { name: signalsGroup, eventTypes: signalsTypes }]
    .filter(({ eventTypes }) => (eventTypes as readonly string[]).includes(type))
    .map(({ name }) => name);

/** Whether the fence refuses a subject while its event is parked in this projection. */
export const isClosing = (name: string): boolean =>
  known.some((projection) => projection.name === name && projection.closes === true);
