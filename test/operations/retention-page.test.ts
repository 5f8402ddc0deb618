import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { schema as nodeSchema } from '../../packages/eventstore-node/src/schema.ts';
import { codec } from '../../src/eventstore/codec/codec.ts';
import { eventsByCategory } from '../../src/domain/events.ts';
import { makeToMessage } from '../../src/kafka/contract/to-message.ts';
import { defaultTopicNames } from '../../src/kafka/topics.ts';
import { sweeps } from '../../src/projections/retention/sweeps.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { t0, tokensRefreshed } from '../support/scenes/grants.ts';
import {
  bytesARow,
  bytesOf,
  documentedTables,
  numberIn,
  retentionPage,
  rowsBelow,
} from './retention-page.ts';

const database = await migratedDatabase();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
await client.query(nodeSchema);
afterAll(async () => {
  await client.end();
  await database.drop();
});

const figures = new Map(rowsBelow('What a unit costs').map(([name = '', bytes]) => [name, numberIn(bytes)]));

test('GR-04: docs/reference/retention.md has every table of the schema, and no other', async () => {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by relname`,
  );
  expect(new Set(documentedTables.map(([name]) => name))).toEqual(new Set(rows.map(({ name }) => name)));
});

test('GR-04: docs/reference/retention.md has every category of streams, and no other', () => {
  const categories = Object.keys(eventsByCategory);
  const documented = rowsBelow('Streams of the log').map(([name]) => name);
  expect(new Set(documented)).toEqual(new Set([...categories, 'unredeemed-grant', 'addon-token']));
});

test('what the cleaner removes is not said to stay permanently, and the page says which it is', () => {
  const cleaned = new Set(sweeps.map(({ table }) => table));
  const said = documentedTables.filter(
    ([name = '', , , stays = '']) => cleaned.has(name) && /permanently/.test(stays),
  );
  expect(said.map(([name]) => name)).toEqual([]);
});

/** A ULID of a row, and of the row so many before it. */
const id = (row = 'n') => `'01J9Z3T0Q7XK5V8M2N4P' || lpad((${row})::text, 6, '0')`;
const some = `'01J9Z3T0Q7XK5V8M2N4P6R1S00'`;
const at = '1790000000000 + n';
const hash = (row = 'n') => `encode(sha256((${row})::text::bytea), 'hex')`;
/** As wide as those of `history-types.ts`. */
const key = (id: string) => `hashint8extended(${id}, 0)`;
const scopes = `'["openid","profiles:read","reservations:read"]'`;
const item = `json_build_object('id', 'P' || n, 'name', 'Ada Lovelace', 'email', 'ada' || n || '@example.com', 'version', 3, 'updated_at', '2026-01-01T00:00:00Z')`;
const record = (more: string) =>
  `${some}, 'record' || n, n, 1000000 + n, ${id()}, 0, 1000000 + n, ${more} 4, '2026-01-01T00:00:00.000Z', ${item}, 1000000 + n`;
const march = '1772668800000 + n';

/** One row of each table that grows, with values as long as real ones. */
const rowOf: Readonly<Record<string, string>> = {
  addon_refusals: `${id()}, ${some}, ${at}, 'token', 'client-secret-wrong', '192.0.2.0/24'`,
  accounts: `${id()}, 'ada' || n || '@example.com', true, 'Ada Lovelace', '{ada,lovelace}', array['ada' || n || '@example.com', '@example.com', 'example.com'], '["administrator"]', '[]', false, null, ${at}, ${at}`,
  activations: `${id()}, ${some}, 1, true, ${some}, ${at}, null, null, null, 0`,
  administrators: `${some}, ${id()}, ${at}`,
  auditors: `${some}, ${id()}, ${at}`,
  profiles: record(''),
  reservations: record(`'P' || n,`),
  access_rights: record(`'P' || n,`),
  connections: `${some}, ${some}, 1, ${id()}, 'openid profiles:read reservations:read', 0, 1, ${at}`,
  consents: `${some}, ${some}, ${id()}, ${scopes}, 1, ${at}`,
  // The mark of a sent form.
  done_once: `'form ' || left(encode(sha256(n::text::bytea), 'base64'), 43), ${at}, '', null, '', ${at}, null, ''`,
  fence: `'grant:' || ${id()}, 3, 0, false, ${at}`,
  grants: `${id()}, ${some}, ${some}, ${some}, 1, ${scopes}, 'redeemed', 900, ${at}, 1000000 + n, ${at}, ${at}, ${at}`,
  head_deposits: `n, 'directory', 1000000 + n, now(), now(), 1, null`,
  // In the middle of a year: each connection of an organization and a user of its own, with one of 100 add-ons.
  history_events: `n * 7919::bigint % 100000, 438000000 + n, ${march}, ${key('n * 7919::bigint % 100000')}, ${key('n * 7919::bigint % 100')}, ${key('n * 7919::bigint % 100000 + 1000000')}, n, 5, ''`,
  history_references: `'organization', ${some}, 100000 + n, ${march}, 'activation-' || ${some} || '.' || ${id()}, 3, 'AddonActivated', 'user:' || ${some}`,
  history_streams: `'grant-' || ${id()}, 100000 + n, ${at}, ${some}, ${some}, ${some}`,
  list_reads: `${id()}, ${march}, 1, ${some}, ${march}, array_fill(5, array[96]), array['192.0.2.0/24'::cidr], array[16777215]`,
  log_marks: `n, n, gen_random_uuid(), 'activation-' || ${some} || '.' || ${id()}, 3, ${at}`,
  log_tiles: `0, n, n, n, (select string_agg(sha256((n * 256 + leaf)::text::bytea), '') from generate_series(1, 256) as leaf)`,
  organizations: `${id()}, 'Town of Harbour', '{town,of,harbour}', null, false, ${at}`,
  outages: `gen_random_uuid(), ${at}, ${at}`,
  passkey_uses: `${id()}, ${id()}, n, ${at}`,
  provider_sign_ins: `${id()}, decode(repeat('ab', 1200), 'hex'), ${hash()}, ${hash()}, null, false, ${at}`,
  rate_limits: `encode(sha256(n::text::bytea), 'base64'), 1, ${at}`,
  session_uses: `${id()}, ${id()}, ${at}, ${at}, ${at}`,
  sign_in_counters: `sha256(n::text::bytea), sha256(n::text::bytea), 1, ${at}, ${at}, ${at}`,
  signal_deactivations: `${id()}, ${some}, 1`,
  signal_grants: `${id()}, ${some}, ${some}, 1, ${some}, true, now()`,
  record_owners: `${some}, 'reservation', gen_random_uuid()::text, 0, n, ${at}, true, gen_random_uuid()::text`,
  signal_holders: `${id()}, ${some}, true`,
  signal_records_told: `${some}, 'records:reservations:organization:' || ${id()}, n, '0'`,
  signal_sets: `${some}, left(${hash()}, 22), 'organization:' || ${id()}, n, n, 0, now(), json_build_object('iat', 1790000000, 'txn', left(${hash()}, 32), 'sub_id', json_build_object('format', 'opaque', 'id', ${id()}), 'events', json_build_object('https://grantbook.example/signals/addon-deactivated', json_build_object('organization_id', ${id()}, 'epoch', 1, 'position', n || '/' || n, 'reason', 'deactivated by an administrator')))::jsonb, false, false, 0, null, null, null, now(), null`,
  silent_grants: `${id()} || ' ' || ${some}, array[${at}, ${at}], ${at}`,
  streams_by_owner: `${some}, 'activation-' || ${some} || '.' || ${id()}, n, n`,
  subject_keys: `'account-' || ${id()}, left(${hash()}, 26), 'k1', sha256(n::text::bytea) || sha256(n::text::bytea), now(), null`,
};

/** Where 2,000 are too dear, or too few: the indexes of a month have several pages for each add-on. */
const rowsMeasured: Readonly<Record<string, number>> = { log_tiles: 60, history_events: 20_000 };

const measured = async (table: string, row: string): Promise<number> => {
  const many = rowsMeasured[table] ?? 2_000;
  const insert = (from: number, to: number) =>
    client.query(`insert into ${table} select ${row} from generate_series(${from}, ${to}) n`);
  await insert(1, many / 10); // an empty table has pages of its own
  const before = await bytesOf(client, table);
  await insert(many / 10 + 1, many);
  return ((await bytesOf(client, table)) - before) / (many * 0.9);
};

test('GR-04: what a row costs is what docs/reference/retention.md says, within a tenth', async () => {
  for (const table of ['history_events', 'history_references', 'list_reads'])
    await client.query(
      `create table ${table}_2026_03 partition of ${table} for values from (1772323200000) to (1775001600000)`,
    );
  const wrong: string[] = [];
  for (const [name = '', , bytes = ''] of documentedTables) {
    const row = rowOf[name];
    if (row === undefined) {
      if (!Number.isNaN(numberIn(bytes)) && bytes !== '') wrong.push(`${name}: not measured`);
      continue;
    }
    const found = await measured(name, row);
    if (!(Math.abs(found / numberIn(bytes) - 1) <= 0.1))
      wrong.push(`${name}: ${found.toFixed(0)}, not ${bytes}`);
  }
  expect(wrong).toEqual([]);
});

const grantId = '01J9Z3T0Q7XK5V8M2N4P6R1S00';
const metadata = { actor: `addon:${grantId}`, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
const refresh = tokensRefreshed(4_000, t0);

test('GR-04: a refresh costs in the log and on Kafka, and a request under a key costs what docs/reference/retention.md says, within a tenth', async () => {
  const { type, data, metadata: envelope } = codec.encode(refresh, metadata);
  const [body, about] = [JSON.stringify(data), JSON.stringify(envelope)];
  const embedded = await measured(
    'eventstore.events',
    `n, 'grant-' || ${id('n / 1000')}, n, gen_random_uuid(), '${type}', true, '${body}'::bytea, '${about}'::bytea, ${at}`,
  );
  const position = { commit: 1_000_000_000n, prepare: 1_000_000_000n };
  const event = { id: 'b'.repeat(36), stream: `grant-${grantId}` as const, revision: 4_000n, position };
  const message = makeToMessage({
    source: 'https://auth.example.org',
    baseUrl: 'https://auth.example.org',
    topics: defaultTopicNames,
  })(
    { ...event, created: t0, event: refresh, metadata },
    {
      addonId: grantId,
      subject: { kind: 'organization', organizationId: grantId, epoch: 1 },
    },
  );
  const lengths = (values: object) => Object.entries(values).flat().join('').length;
  const onKafka = message
    ? lengths(message.headers) + (message.key ?? '').length + (message.value ?? '').length
    : 0;
  const underKey = await measured(
    'done_once',
    `'key ' || left(encode(sha256(n::text::bytea), 'base64'), 43), ${at}, 'k1', sha256(n::text::bytea), decode(repeat('ab', 16), 'hex'), ${at}, ${at}, decode(repeat('ab', 300), 'hex'), ${at}`,
  );
  const found = {
    'request under a key': underKey,
    'refresh: data and metadata': body.length + about.length,
    'refresh: embedded log': embedded,
    'refresh: on Kafka': onKafka,
  };
  const wrong = Object.entries(found).filter(
    ([name, bytes]) => !(Math.abs(bytes / (figures.get(name) ?? Number.NaN) - 1) <= 0.1),
  );
  expect(wrong).toEqual([]);
});

const refreshesAYear = 100_000 * 24 * 365;

test('what 100,000 hourly connections leave in a year is computed from the figures above', () => {
  const history = bytesARow('history_events');
  const tiles = bytesARow('log_tiles') / 256;
  const reads = bytesARow('list_reads') / 24;
  const perRefresh: Readonly<Record<string, number>> = {
    'the log, embedded': figures.get('refresh: embedded log') ?? 0,
    'Postgres: references of timelines': history,
    'Postgres: tiles of the tree': tiles,
    'Postgres: reads of a list, a row a day': reads,
    'Postgres: all of it': history + tiles + reads,
    'Kafka, one copy, not compressed': figures.get('refresh: on Kafka') ?? 0,
  };
  const said = [...retentionPage.matchAll(/^\| ([^|`]+?) *\| +([\d.]+) *\| +([\d,]+) GB *\|$/gm)].map(
    ([, what = '', each, year]) => [what, Number(each), numberIn(year)],
  );
  expect(said).toEqual(
    Object.entries(perRefresh).map(([what, bytes]) => [
      what,
      Math.round(bytes * 10) / 10,
      Math.round((bytes * refreshesAYear) / 1e9),
    ]),
  );
  expect(history + tiles + reads, 'HI-04').toBeLessThan(330);
});
