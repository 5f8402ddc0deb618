import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import pg from 'pg';
import copy from 'pg-copy-streams';
import { pino } from 'pino';
import { migrationsDir } from '../../src/process/package-root.ts';
import type { PersonalData } from '../../src/eventstore/codec/personal-data.ts';
import { connectEventStore } from '../../src/eventstore/client/esdb.ts';
import { migrate } from '../../src/projections/database/migrate.ts';
import { startProjector } from '../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../src/projections/read-model-projections.ts';
import { startChild } from '../child.ts';
import { result, type Result } from '../results.ts';
import type { World } from '../world.ts';

/**
 * Builds the read models of the whole log in an empty database, compared with the client's decoding of the same events,
 * and with COPY of as many rows.
 */
export const measureCatchUp = async ({ servers, core }: World): Promise<readonly Result[]> => {
  const eventTypes = [...new Set(readModelProjections.flatMap((projection) => projection.eventTypes))];
  const client = await startChild<{ events: number; seconds: number }>(
    'catch-up',
    servers.eventStoreUrl,
    eventTypes.join(','),
  );
  await client.stop();
  const { events, seconds } = client.said;
  const rehearsal = await emptyDatabase(servers.databaseUrl);
  const personal = core.personal.data;
  await project(rehearsal.url, servers.eventStoreUrl, personal); // warm-up: a running process has compiled its code already
  await rehearsal.drop();
  const database = await emptyDatabase(servers.databaseUrl);
  try {
    const elapsed = await project(database.url, servers.eventStoreUrl, personal);
    const copied = await copyRows(database.url, events);
    return [
      result('client-catch-up', events / seconds, 'events/s', events),
      result('copy', events / copied, 'rows/s', events),
      result('catch-up', events / elapsed, 'events/s', events, events / seconds),
    ];
  } finally {
    await database.drop();
  }
};

const project = async (
  databaseUrl: string,
  eventStoreUrl: string,
  personal: PersonalData,
): Promise<number> => {
  const logger = pino({ level: 'warn' });
  await migrate(databaseUrl, migrationsDir);
  const log = connectEventStore({ url: eventStoreUrl, logger, personal });
  const started = performance.now();
  const projector = startProjector({ databaseUrl, log, projections: readModelProjections, logger });
  await projector.caughtUp;
  const elapsed = (performance.now() - started) / 1000;
  await projector.stop();
  await log.close();
  return elapsed;
};

const copyRows = async (databaseUrl: string, rows: number): Promise<number> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'create table bench_copy (id bigint primary key, organization text, opens text, at timestamptz)',
  );
  const lines = function* () {
    for (let row = 0; row < rows; row += 1)
      yield `${row}\t01J00000000000000000000000\tFront door\t2026-01-01T00:00:00Z\n`;
  };
  const started = performance.now();
  await pipeline(Readable.from(lines()), client.query(copy.from('copy bench_copy from stdin')));
  const elapsed = (performance.now() - started) / 1000;
  await client.end();
  return elapsed;
};

/** Next to another one, on the same server. */
export const emptyDatabase = async (besideUrl: string) => {
  const name = `bench_${Date.now()}`;
  const admin = new pg.Client({ connectionString: besideUrl });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(besideUrl);
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    async drop() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
};
