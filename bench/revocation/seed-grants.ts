import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copy from 'pg-copy-streams';
import { grantStream } from '../../src/domain/streams.ts';
import { makeSeededEvents, type SeededTerms } from './seeded-events.ts';

/** The live grants to create for one activation. */
export type Seed = {
  readonly terms: SeededTerms;
  readonly grantIds: readonly string[];
  /** The users who approved them, in turn. */
  readonly userIds: readonly string[];
};

type Databases = {
  /** Database of the embedded node, which must not be running, because it caches positions and streams. */
  readonly logUrl: string;
  /** Database of the read models, which must have caught up; no projector may be running. */
  readonly databaseUrl: string;
};

/**
 * Writes redeemed grants into both stores by COPY, as if they had been issued and projected: two events and a stream in
 * the log, a row in the read models, their counters, and the checkpoints after the last event.
 */
export const seedGrants = async (
  { logUrl, databaseUrl }: Databases,
  seeds: readonly Seed[],
): Promise<void> => {
  const log = await connect(logUrl);
  const readModels = await connect(databaseUrl);
  try {
    const newest = await newestOf(log);
    const places: Places = { issued: [], last: newest.position };
    await copyInto(log, `eventstore.events (${eventColumns})`, eventLines(seeds, newest, places));
    await copyInto(log, 'eventstore.streams', streamLines(seeds));
    await copyInto(readModels, `grants (${grantColumns})`, grantLines(seeds, places.issued));
    await readModels.query(countConnections, [seeds.map(({ terms }) => terms.organizationId)]);
    await moveCheckpoints(readModels, places.last);
    // Otherwise autovacuum would do it during a measurement.
    await log.query('vacuum (analyze) eventstore.events, eventstore.streams');
    await readModels.query('vacuum (analyze) grants, connections');
    await log.query('checkpoint');
  } finally {
    await Promise.all([log.end(), readModels.end()]);
  }
};

type Newest = { readonly position: bigint; readonly created: bigint };
/** The positions of the issued codes, in the order of the grants, and of the last event. */
type Places = { readonly issued: bigint[]; last: bigint };

const eventColumns = 'position, stream, revision, event_id, type, is_json, data, metadata, created';
const grantColumns =
  'grant_id, addon_id, user_id, organization_id, epoch, scopes, status, rotation, issued_at, redeemed_at, expires_at, issued_position';

const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

const newestOf = async (log: pg.Client): Promise<Newest> => {
  const { rows } = await log.query<{ position: string; created: string }>(
    'select position, created from eventstore.events order by position desc limit 1',
  );
  const [newest] = rows;
  if (!newest) throw new Error('the log to be seeded is empty: furnish it first');
  return { position: BigInt(newest.position), created: BigInt(newest.created) };
};

const copyInto = (client: pg.Client, target: string, lines: Iterable<string>): Promise<void> =>
  pipeline(Readable.from(inChunks(lines)), client.query(copy.from(`copy ${target} from stdin`)));

/** A chunk for each line would take a million ticks of the event loop. */
const inChunks = function* (lines: Iterable<string>): Generator<string> {
  let chunk: string[] = [];
  for (const line of lines) {
    chunk.push(line);
    if (chunk.length === 500) {
      yield `${chunk.join('\n')}\n`;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield `${chunk.join('\n')}\n`;
};

/** The same distance that the node would leave for events of this size. */
const eventOverhead = 138;

const eventLines = function* (seeds: readonly Seed[], newest: Newest, places: Places): Generator<string> {
  for (const { terms, grantIds, userIds } of seeds) {
    const eventsOf = makeSeededEvents(terms);
    for (const [index, grantId] of grantIds.entries()) {
      const events = eventsOf(grantId, approverOf(userIds, index));
      for (const [revision, { type, data, metadata }] of events.entries()) {
        places.last += BigInt(data.length + metadata.length + eventOverhead);
        if (revision === 0) places.issued.push(places.last);
        const place = `${places.last}\t${grantStream(grantId)}\t${revision}\t${randomUUID()}`;
        yield `${place}\t${type}\tt\t${data}\t${metadata}\t${newest.created}`;
      }
    }
  }
};

const streamLines = function* (seeds: readonly Seed[]): Generator<string> {
  for (const { grantIds } of seeds)
    for (const grantId of grantIds) yield `${grantStream(grantId)}\t1\t-1\t\\N\tf`;
};

const grantLines = function* (seeds: readonly Seed[], issued: readonly bigint[]): Generator<string> {
  let next = 0;
  for (const { terms, grantIds, userIds } of seeds) {
    const { addonId, organizationId, epoch, at, expiresAt } = terms;
    const scopes = JSON.stringify(terms.scopes);
    for (const [index, grantId] of grantIds.entries()) {
      const who = `${grantId}\t${addonId}\t${approverOf(userIds, index)}\t${organizationId}\t${epoch}`;
      yield `${who}\t${scopes}\tredeemed\t0\t${at}\t${at}\t${expiresAt}\t${issued[next++]}`;
    }
  }
};

const approverOf = (userIds: readonly string[], index: number): string =>
  userIds[index % userIds.length] ?? '';

/** As in 0007-connections.sql. The organizations had no grants before. */
const countConnections = `
  insert into connections (organization_id, addon_id, epoch, user_id, scopes, unredeemed, live, last_token_at)
  select organization_id, addon_id, epoch, user_id,
         (select string_agg(scope, ' ' order by scope collate "C") from jsonb_array_elements_text(all_scopes) as scope),
         0, grants, last_token_at
  from (select organization_id, addon_id, epoch, user_id, scopes as all_scopes,
               count(*) as grants, max(redeemed_at) as last_token_at
        from grants where organization_id = any($1) group by 1, 2, 3, 4, 5) as counted`;

/** Moves them past the seeded events, which count as projected and need no reaction. */
const moveCheckpoints = async (readModels: pg.Client, position: bigint): Promise<void> => {
  await readModels.query(
    `insert into checkpoints (name, commit_position, prepare_position)
     values ('read-models', $1, $1), ('revoke-on-deactivation', $1, $1)
     on conflict (name) do update set commit_position = $1, prepare_position = $1`,
    [position],
  );
};
