import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copy from 'pg-copy-streams';
import type { PersonalData } from '../../src/eventstore/codec/personal-data.ts';
import { rebuildables } from '../../src/projections/rebuild/rebuildables.ts';
import { codec } from '../../src/eventstore/codec/codec.ts';
import { storyOf } from './sample-data.ts';

type Places = {
  /**
   * Database of the embedded node. It must have created its tables and must not be running, because it caches positions
   * and streams.
   */
  readonly logUrl: string;
  /** Database of the read models: their checkpoint is moved past the last event, and they stay empty. */
  readonly databaseUrl: string;
  /** Encrypts the events like the service. */
  readonly personal: PersonalData;
};

/**
 * Writes a log of this many events, up to one organization more, into an empty event store by COPY. @returns their
 * number
 */
export const seedLog = async (
  { logUrl, databaseUrl, personal }: Places,
  events: number,
  signal?: AbortSignal,
): Promise<number> => {
  const log = new pg.Client({ connectionString: logUrl });
  const readModels = new pg.Client({ connectionString: databaseUrl });
  await Promise.all([log.connect(), readModels.connect()]);
  try {
    const seeded = { events: 0, position: 0n, streams: [] as string[] };
    await log.query('begin');
    await pipeline(
      Readable.from(eventLines(personal, events, seeded)),
      log.query(copy.from(`copy eventstore.events (${eventColumns}) from stdin`)),
      { signal },
    );
    await pipeline(
      Readable.from(seeded.streams),
      log.query(copy.from('copy eventstore.streams from stdin')),
      { signal },
    );
    await log.query('commit');
    await log.query('vacuum (analyze) eventstore.events, eventstore.streams');
    await log.query('checkpoint'); // otherwise it could run during a measurement
    await readModels.query(
      `insert into checkpoints (name, commit_position, prepare_position) select unnest($2::text[]), $1, $1
       on conflict (name) do update set commit_position = $1, prepare_position = $1`,
      [seeded.position, [...new Set(rebuildables.map(({ group }) => group))]],
    );
    return seeded.events;
  } finally {
    await Promise.all([log.end(), readModels.end()]);
  }
};

const eventColumns = 'position, stream, revision, event_id, type, is_json, data, metadata, created';
/** The same distance that the node would leave for events of this size. */
const eventOverhead = 138;

type Seeded = { events: number; position: bigint; streams: string[] };

/** One chunk for each organization: one for each line would take a million ticks of the event loop. */
const eventLines = async function* (
  personal: PersonalData,
  events: number,
  seeded: Seeded,
): AsyncGenerator<string> {
  const created = Date.UTC(2026, 0, 1) * 10_000;
  for (let house = 0; seeded.events < events; house += 1) {
    const lines: string[] = [];
    const streams: string[] = [];
    const stored = storyOf(house).map(async ([stream, itsEvents]) => {
      const encoded = itsEvents.map((event) => codec.encode(event, { actor: 'break-glass' }));
      return [stream, await personal.encrypt(stream, encoded)] as const;
    });
    for (const [stream, itsEvents] of await Promise.all(stored)) {
      for (const [revision, { type, data, metadata }] of itsEvents.entries()) {
        const [text, about] = [JSON.stringify(data), JSON.stringify(metadata)];
        if (`${text}${about}`.includes('\\')) throw new Error('a seeded event would need escaping for COPY');
        seeded.position += BigInt(text.length + about.length + eventOverhead);
        lines.push(
          `${seeded.position}\t${stream}\t${revision}\t${randomUUID()}\t${type}\tt\t${text}\t${about}\t${created}\n`,
        );
        seeded.events += 1;
      }
      streams.push(`${stream}\t${itsEvents.length - 1}\t-1\t\\N\tf\n`);
    }
    seeded.streams.push(streams.join(''));
    yield lines.join('');
  }
};
