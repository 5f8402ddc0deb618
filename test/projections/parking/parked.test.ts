import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventType } from '../../../src/domain/events.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import type { Projection } from '../../../src/projections/follow/projection.ts';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { damagedLog } from '../../support/log/damaged-log.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import {
  positionOf,
  scriptedLog,
  startTestProjector,
  type ScriptedLog,
} from '../../support/log/test-projector.ts';
import { organization, profile, profileRemoved, reservation, tell } from '../follow/a-story.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

expectTrouble(/its key is parked/);

let log: ScriptedLog;
let logger: ReturnType<typeof quietLogger>;
let running: Projector[];

const side = await testReadModels();
beforeEach(() => {
  log = scriptedLog();
  logger = quietLogger();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((projector) => projector.stop()));
  await side.clear();
});
afterAll(() => side.close());

const start = (needs: Partial<Parameters<typeof startTestProjector>[0]> = {}): Projector => {
  const projector = startTestProjector({ databaseUrl: side.database.url, log, logger, ...needs });
  running.push(projector);
  return projector;
};
const project = async (needs: Parameters<typeof start>[0] = {}) => {
  const projector = start(needs);
  await projector.caughtUp;
  expect(await side.progress.checkpoint()).toEqual(log.events.at(-1)?.position ?? positionOf(0));
  return projector;
};
const names = async () =>
  (await side.pool.query<{ id: string }>('select id from profiles order by ordinal')).rows.map(
    ({ id }) => id,
  );
const parked = async () => {
  type Row = { readonly event: string; readonly error: string | null };
  const { rows } = await side.pool.query<Row>(
    `select projection || ' ' || stream || '@' || revision as event, error from parked_events
     order by commit_position, projection`,
  );
  return rows.map(({ event, error }) => (error === null ? event : `${event}: ${error}`));
};
const alarms = () => logger.lines.filter(({ level }) => level === 'error');

/** A projection of its own next to the others, with a table of its own where it needs one. */
const beside = (
  own: Pick<Projection, 'begin'> & Partial<Projection>,
  eventTypes: readonly EventType[] = ['ProfileRecorded'],
): readonly Projection[] => [...readModelProjections, { name: 'own', eventTypes, ...own }];

const writing = (statement: (event: RecordedEvent) => string) =>
  beside({
    begin: () => {
      const events: RecordedEvent[] = [];
      return {
        apply: (event) => void events.push(event),
        write: async (tx) => {
          for (const event of events) await tx.query(statement(event));
        },
      };
    },
  });
const isAbout = (id: string, { stream }: RecordedEvent) => stream.endsWith(`.${id}`);

test('what one read model cannot apply is parked there with its key, in order; other keys and other read models go on', async () => {
  tell(
    log,
    profile('P1'),
    profile('P2'),
    profile('P3'),
    profile('P2', 2),
    profile('P1', 2),
    profileRemoved('P2', 3),
  );
  const seen: string[] = [];
  const projections = beside({
    begin: () => ({
      apply: (event) => {
        if (isAbout('P2', event) && event.revision === 0n) throw new Error('hush: 4711');
        seen.push(`${event.stream}@${event.revision}`);
      },
      write: () => Promise.resolve(),
    }),
  });
  const projector = await project({ projections });
  expect(projector.status()).toMatchObject({ role: 'leading', healthy: true });
  expect(await names()).toEqual(['P1', 'P3']);
  // ProfileRemoved is none of its types.
  expect(await parked()).toEqual([
    expect.stringMatching(/^own profile-O1\.P2@0: Error at parking\/parked\.test\.ts:\d+$/),
    'own profile-O1.P2@1',
  ]);
  expect(seen).not.toContain('profile-O1.P2@1');
  expect(seen).toContain('profile-O1.P1@1');
  expect(alarms()).toMatchObject([
    {
      context: {
        alarm: true,
        projection: 'own',
        event: { stream: 'profile-O1.P2', type: 'ProfileRecorded' },
      },
    },
  ]);
  expect(
    JSON.stringify([logger.lines, await parked()], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  ).not.toContain('4711');
});

test('how the log is cut into batches does not show in what is parked', async () => {
  const story = [
    profile('P1'),
    organization('O9', 'a\u0000b'),
    profile('P2'),
    organization('O8'),
    profile('P1', 2),
  ];
  const ends: unknown[] = [];
  for (const batchSize of [1, 2, 1000]) {
    await side.clear();
    log = scriptedLog();
    tell(log, ...story, ...story.slice(1, 2));
    const projector = await project({ batchSize });
    await projector.stop();
    const { parked_events: rows, ...tables } = await side.dump();
    ends.push([tables, rows?.map((row) => ({ ...row, parked_at: null }))]);
  }
  expect(ends[1]).toEqual(ends[0]);
  expect(ends[2]).toEqual(ends[0]);
});

describe('the verdict of the database', () => {
  test.each([
    { code: '22P02', statement: `select 'hush'::int` },
    { code: '22003', statement: `select 99999999999999999999::int` },
    {
      code: '23505',
      statement: `insert into administrators values ('O1', 'hush', 1), ('O1', 'hush', 1)`,
    },
    { code: '23502', statement: `insert into accounts (user_id) values ('U1')` },
    { code: '23514', statement: `insert into list_blocks values ('profiles', 'O1', '', 0, 0, 0)` },
    { code: '21000', statement: `select (select 1 union select 2)` },
    {
      code: '54000',
      statement: `insert into administrators select 'hush', string_agg(md5(i::text), ''), 1 from generate_series(1, 3000) as i`,
    },
  ])('$code parks the key, and quotes no value', async ({ code, statement }) => {
    tell(log, profile('P1'), profile('P2'), profile('P3'));
    await project({ projections: writing((event) => (isAbout('P2', event) ? statement : 'select')) });
    expect(await parked()).toEqual([expect.stringMatching(`^own profile-O1\\.P2@0: Postgres ${code}, `)]);
    expect((await parked()).join(' ')).not.toContain('hush');
    expect(await names()).toEqual(['P1', 'P2', 'P3']);
    expect((await side.pool.query('select from administrators')).rowCount).toBe(0);
  });

  test('a table that is missing is about no event: nothing is parked, everything stops with an alarm', async () => {
    expectTrouble(/The projections stopped at ProfileRecorded/);
    tell(log, profile('P1'));
    const projector = start({ projections: writing(() => 'select from no_such_table') });
    await expect.poll(() => projector.status().role).toBe('stuck');
    expect(await parked()).toEqual([]);
    expect(await names()).toEqual([]);
  });

  test('a failure that passes parks nothing', async () => {
    tell(log, profile('P1'));
    let failures = 2;
    const projections = writing(() =>
      failures-- > 0 ? `do $$ begin raise exception using errcode = '53100'; end $$` : 'select',
    );
    await project({ projections });
    expect(await parked()).toEqual([]);
    expect(failures).toBeLessThan(0);
  });
});

test('what comes later of a parked key is parked by the next leader, too, and whoever leads does not forget it', async () => {
  tell(log, organization('O9', 'a\u0000b'));
  const first = await project();
  await first.stop();
  tell(
    log,
    {
      ...organization('O9'),
      event: { type: 'AdministratorAdded', data: { userId: 'U1', source: null, at: 1 } },
    },
    organization('O8'),
  );
  await project();
  expect(await parked()).toEqual([
    expect.stringContaining('organizations organization-O9@0: Postgres 22'),
    'organizations organization-O9@1',
  ]);
  const { rows } = await side.pool.query('select organization_id from organizations');
  expect(rows).toEqual([{ organization_id: 'O8' }]);
  expect((await side.pool.query('select from administrators')).rowCount).toBe(0);
});

describe('an event that cannot be decoded', () => {
  test('is parked wherever its type is wanted, with what comes after it', async () => {
    tell(log, profile('P1'), reservation('R1', 'P1'), profile('P2'), profile('P1', 2));
    await project({
      log: damagedLog(log, ({ stream, revision }) => stream === 'profile-O1.P1' && revision === 0n),
    });
    expect(await parked()).toEqual([
      'lists profile-O1.P1@0: data.name is not a string',
      'lists profile-O1.P1@1',
    ]);
    expect(await names()).toEqual(['P2']);
    const { rows } = await side.pool.query(
      'select list, organization_id, record_id, profile_id from parked_events limit 1',
    );
    expect(rows).toEqual([{ list: 'profiles', organization_id: 'O1', record_id: 'P1', profile_id: 'P1' }]);
  });
});
