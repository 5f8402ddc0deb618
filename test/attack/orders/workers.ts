import type { FenceRow } from '../../../src/domain/fence/fence.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { activationFence } from '../../../src/projections/fence/activation-fence.ts';
import type { Tx } from '../../../src/projections/follow/projection.ts';
import type { World } from './world.ts';

/** How far the read models are: how much of the log they hold. */
export type ReadModels = { held: number };

/**
 * The projector, as far behind as one likes: it has still to apply what was in the log at the beginning, and each time
 * it takes what is there and writes it later.
 */
export const project = (world: World): ReadModels => {
  const models: ReadModels = { held: 0 };
  world.stage.enter('projector', async (actor) => {
    const fence = world.fence.by(actor, 'projector');
    for (;;) {
      const batch = await actor.turn('reads the log', () => world.log.all().slice(models.held), {
        when: () => world.log.all().length > models.held,
        saw: ({ length }) => `${length}`,
      });
      const rows = await rowsOf(batch);
      if (rows.length > 0) await fence.write(rows);
      models.held += batch.length;
    }
  });
  return models;
};

/** A rebuild of the tables that reads the log at some time and takes over at another. */
export const rebuild = (world: World): void =>
  world.stage.enter('rebuild', async (actor) => {
    const log = await actor.turn('reads the log', () => [...world.log.all()], {
      saw: ({ length }) => `${length}`,
    });
    const rows = await rowsOf(log);
    await actor.turn('is swapped in', () => world.fence.swapIn(rows));
  });

/** What the projection of the fence would send to Postgres. */
const rowsOf = async (events: readonly RecordedEvent[]): Promise<readonly FenceRow[]> => {
  const batch = activationFence.begin();
  for (const event of events) batch.apply(event);
  const rows: FenceRow[] = [];
  const query = ({ values }: { readonly values: Columns }) => {
    const [subjects, revisions, epochs, opens] = values;
    for (const [index, subject] of subjects.entries())
      rows.push({
        subject,
        revision: revisions[index] ?? 0n,
        epoch: epochs[index] ?? 0,
        open: opens[index] ?? false,
      });
    return Promise.resolve();
  };
  await batch.write({ query } as unknown as Tx);
  return rows;
};

type Columns = readonly [
  readonly FenceRow['subject'][],
  readonly bigint[],
  readonly number[],
  readonly boolean[],
];
