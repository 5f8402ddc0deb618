import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copy from 'pg-copy-streams';
import { codec } from '../../src/eventstore/codec.ts';
import { storyOf } from './house.ts';

type Databases = {
  /** Of the embedded node, which has made its tables and is not running: it knows positions and streams by heart. */
  readonly logUrl: string;
  /** Of the read models: their checkpoint is moved behind the last event, and they stay empty. */
  readonly databaseUrl: string;
};

/** Puts a log of so many events, or a house more, into an empty event store by COPY. @returns how many there are */
export const seedLog = async (
  { logUrl, databaseUrl }: Databases,
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
      Readable.from(eventLines(events, seeded)),
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
    await log.query('checkpoint'); // which would else be in the middle of a measurement
    await readModels.query(
      `insert into checkpoints (name, commit_position, prepare_position) values ('read-models', $1, $1)
       on conflict (name) do update set commit_position = $1, prepare_position = $1`,
      [seeded.position],
    );
    return seeded.events;
  } finally {
    await Promise.all([log.end(), readModels.end()]);
  }
};

const eventColumns = 'position, stream, revision, event_id, type, is_json, data, metadata, created';
/** As far apart as the node puts events of this size. */
const eventOverhead = 138;

type Seeded = { events: number; position: bigint; streams: string[] };

/** A house a chunk: a chunk a line would be a million turns of the event loop. */
const eventLines = function* (events: number, seeded: Seeded): Generator<string> {
  const created = Date.UTC(2026, 0, 1) * 10_000;
  for (let house = 0; seeded.events < events; house += 1) {
    const lines: string[] = [];
    const streams: string[] = [];
    for (const [stream, itsEvents] of storyOf(house)) {
      for (const [revision, event] of itsEvents.entries()) {
        const { type, data, metadata } = codec.encode(event, { actor: 'operator' });
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
