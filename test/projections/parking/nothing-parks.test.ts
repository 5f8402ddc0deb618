import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { applyInSavepoint } from '../../../src/projections/follow/apply-single-event.ts';
import type { Projection } from '../../../src/projections/follow/projection.ts';
import { history } from '../../../src/projections/history/history.ts';
import { ensureMonths, monthOf, readPartitions } from '../../../src/projections/history/history-months.ts';
import { describePoison } from '../../../src/projections/parking/poison.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { rebuildables } from '../../../src/projections/rebuild/rebuildables.ts';
import { makeSignalsProjection } from '../../../src/signals/projection.ts';
import { seededRandom } from '../../durability/random.ts';
import { positionOf } from '../../support/log/test-projector.ts';
import { seed } from '../../support/seed.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { isRelease } from '../../support/tiers.ts';
import { type Variant, variants } from './event-variants.ts';

const now = Date.UTC(2026, 10, 20);
const signals = makeSignalsProjection({ issuer: 'https://id.example', keepMs: 86_400_000, now: () => now });
const projections: readonly Projection[] = [...readModelProjections, history, signals];

const database = await migratedDatabase();
const tx = new Client({ connectionString: database.url });
beforeAll(async () => {
  await tx.connect();
  await ensureMonths(tx, await readPartitions(tx), new Set([monthOf(now)]));
});
afterAll(async () => {
  await tx.end();
  await database.drop();
});

/** As the nth event of the log, and of its stream. */
const recorded = ({ stream, event }: Variant, n: number): RecordedEvent => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  stream,
  revision: BigInt(n),
  position: positionOf(10 * n),
  created: now,
  event,
  metadata: {},
});

/** A batch of one event. @returns why it would be parked; null when it is applied */
const whyParked = async (projection: Projection, variant: Variant, n: number): Promise<string | null> => {
  const error = await applyInSavepoint(tx, projection, { kind: 'event', event: recorded(variant, n) });
  return error === null ? null : describePoison(error);
};

/** Nothing remains of it. */
const tried = async (name: string, act: () => Promise<void>): Promise<void> => {
  await tx.query(`savepoint ${name}`);
  await act();
  await tx.query(`rollback to savepoint ${name}`);
};

const rowsOf = async ({ name }: Projection): Promise<readonly string[]> => {
  const tables = rebuildables.find((rebuildable) => rebuildable.name === name)?.tables ?? [];
  const rows = tables.map((table) => `select '${table} ' || each::text as row from ${table} as each`);
  if (rows.length === 0) return [];
  return (await tx.query<{ row: string }>(`${rows.join(' union all ')} order by 1`)).rows.map(
    ({ row }) => row,
  );
};

/** By stream: the events that the read model is told. */
const storiesFor = ({ eventTypes }: Projection): readonly (readonly Variant[])[] =>
  [...variants.values()].map((all) => all.filter(({ event }) => eventTypes.includes(event.type)));

const inRolledBack = async (act: () => Promise<void>): Promise<void> => {
  await tx.query('begin');
  try {
    await act();
  } finally {
    await tx.query('rollback');
  }
};

test.each(projections)(
  'FX-82: $name takes every event twice, and a repeat changes nothing',
  async (projection) => {
    const trouble: string[] = [];
    const all = storiesFor(projection).flat();
    await inRolledBack(async () => {
      for (const variant of all)
        await tried('one', async () => {
          const failures = [await whyParked(projection, variant, 1)];
          const rows = await rowsOf(projection);
          failures.push(await whyParked(projection, variant, 1));
          expect({ of: variant.name, rows: await rowsOf(projection) }).toEqual({ of: variant.name, rows });
          failures.push(await whyParked(projection, variant, 2));
          trouble.push(...failures.filter((why) => why !== null).map((why) => `${variant.name}: ${why}`));
        });
    });
    expect(all.length).toBeGreaterThan(0);
    expect(trouble).toEqual([]);
  },
);

/** About so many pairs of each read model are tried, other ones with another seed; at length, all of them. */
const sampled = 400;

test.each(projections)(
  'FX-82: $name takes any event of a stream after any other of it',
  async (projection) => {
    const trouble: string[] = [];
    const stories = storiesFor(projection);
    const pairs = stories.reduce((sum, { length }) => sum + length ** 2, 0);
    const random = seededRandom(seed);
    const isTried = () => isRelease || random() < sampled / pairs;
    await inRolledBack(async () => {
      for (const story of stories)
        for (const first of story) {
          const seconds = story.filter(isTried);
          if (seconds.length === 0) continue;
          await tried('first', async () => {
            await whyParked(projection, first, 1);
            for (const second of seconds)
              await tried('second', async () => {
                const why = await whyParked(projection, second, 2);
                if (why !== null) trouble.push(`${first.name}, then ${second.name}: ${why}`);
              });
          });
        }
    });
    expect(trouble).toEqual([]);
  },
);
