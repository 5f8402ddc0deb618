import pg from 'pg';
import { expect } from 'vitest';
import { countBacklog } from '../../src/projections/operations/count-backlog.ts';
import { revocationCauses } from '../../src/reactions/make-revocations.ts';
import { typesWithSubjects } from '../../src/domain/events.ts';
import type { LogSubscriptions } from '../../src/eventstore/event-store.ts';
import {
  checkpointOf,
  liveReadModels,
  readCheckpoint,
  type CheckpointRow,
} from '../../src/projections/follow/checkpoint.ts';
import { historyGroup } from '../../src/projections/history/history.ts';
import { readModelProjections } from '../../src/projections/read-model-projections.ts';
import { eventually } from './eventually.ts';

/** Reactions come first, because the others must process the events that they append. */
const groups = [
  { name: 'revoke-on-deactivation', eventTypes: revocationCauses },
  {
    name: liveReadModels,
    eventTypes: [...new Set(readModelProjections.flatMap(({ eventTypes }) => eventTypes))],
  },
  { name: historyGroup, eventTypes: typesWithSubjects },
];

/**
 * Resolves once the reactions have processed the whole log, and the read models and the audit's tables have caught up,
 * including the events of the reactions. The workers of an instance must be running, and nobody else may append to the
 * log meanwhile.
 */
export const settled = async (log: LogSubscriptions, databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const behind = async ({ name, eventTypes }: (typeof groups)[number]) => {
    const { rows } = await client.query<CheckpointRow>(readCheckpoint.text, [name]);
    const { events, isAll } = await countBacklog(log, checkpointOf(rows), {
      most: 1_000,
      ms: 5_000,
      eventTypes,
    });
    return isAll ? events : 'not counted';
  };
  try {
    for (const group of groups)
      await eventually(async () => expect([group.name, await behind(group)]).toEqual([group.name, 0]));
  } finally {
    await client.end();
  }
};
