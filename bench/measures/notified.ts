import { pino } from 'pino';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import type { LogMessage, LogSubscriptions } from '../../src/eventstore/event-store.ts';
import { migrationsDir } from '../../src/process/package-root.ts';
import { migrate } from '../../src/projections/database/migrate.ts';
import { makeWritePool } from '../../src/projections/database/write-pool.ts';
import { startProjector } from '../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../src/projections/read-model-projections.ts';
import { startNotifyingOfRecords } from '../../src/signals/records/notify-of-records.ts';
import { recordsChangedType } from '../../src/signals/set-types.ts';
import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { tell } from '../tell.ts';
import { accessRight, scopes, type World } from '../world.ts';
import { emptyDatabase } from './catch-up.ts';

const [issuer, addonId] = ['https://bench.example', 'A1'];
const at = Date.UTC(2026, 0, 1);

/**
 * The records of many organizations projected into an empty database, while nobody is notified that they changed, and
 * while an add-on with a grant of each is, every second (AP-06), in turns.
 */
export const measureNotified = async (
  { servers }: World,
  { records, organizations, turns }: Readonly<Record<'records' | 'organizations' | 'turns', number>>,
): Promise<readonly Result[]> => {
  tell(`projecting ${records} records ${2 * turns} times`);
  const log = logOf(story(records, organizations));
  const rates = { unasked: [] as number[], asked: [] as number[] };
  for (let turn = -1; turn < turns; turn += 1)
    for (const name of turn % 2 === 0 ? (['unasked', 'asked'] as const) : (['asked', 'unasked'] as const)) {
      const seconds = await project(servers.databaseUrl, log, name === 'asked');
      if (turn >= 0) rates[name].push(records / seconds); // before: the process has not compiled its code
    }
  const median = (name: keyof typeof rates) => percentile(rates[name], 0.5) ?? 0;
  return [
    result('projected-unasked', median('unasked'), 'records/s', turns * records),
    result('projected-asked', median('asked'), 'records/s', turns * records, median('unasked')),
  ];
};

const project = async (besideUrl: string, log: LogSubscriptions, isAsked: boolean): Promise<number> => {
  const database = await emptyDatabase(besideUrl);
  const logger = pino({ level: 'warn' });
  await migrate(database.url, migrationsDir);
  const pool = makeWritePool({ databaseUrl: database.url, logger: pino({ level: 'silent' }) }); // it ends with its database
  if (isAsked) await pool.query(askingStream, [addonId, recordsChangedType(issuer)]);
  const receiving = setInterval(() => void (isAsked && pool.query(acknowledgeAll)), 500);
  const dependencies = { pool, issuer, intervalMs: 1_000, now: Date.now, trusted: () => true, logger };
  const notifying = startNotifyingOfRecords(dependencies);
  const started = performance.now();
  const projector = startProjector({
    databaseUrl: database.url,
    log,
    projections: readModelProjections,
    logger,
  });
  await projector.caughtUp;
  const seconds = (performance.now() - started) / 1000;
  clearInterval(receiving);
  await Promise.all([projector.stop(), notifying.stop()]);
  await pool.end();
  await database.drop();
  return seconds;
};

const askingStream = `
  insert into signal_streams (stream_id, addon_id, method, status, events_requested)
  values ('S1', $1, 'poll', 'enabled', array[$2])`;
const acknowledgeAll = `
  update signal_sets set waiting = false, head = false, acknowledged_at = now() where waiting`;

type Told = readonly [stream: StreamName, event: DomainEvent];

const story = (records: number, organizations: number): readonly Told[] => {
  const ids = Array.from({ length: organizations }, (_, index) => `O${index}`);
  return [
    ...ids.flatMap((organizationId): readonly Told[] => [
      [
        `activation-${organizationId}.${addonId}`,
        { type: 'AddonActivated', data: { organizationId, addonId, epoch: 1, by: 'U1', at } },
      ],
      [`grant-G${organizationId}`, issued(organizationId)],
      [
        `grant-G${organizationId}`,
        {
          type: 'AuthorizationCodeRedeemed',
          data: {
            keyId: 'K',
            salt: 'S',
            at,
            accessExpiresAt: 1,
            refreshIdleExpiresAt: 2,
            refreshAbsoluteExpiresAt: 3,
            resources: null,
          },
        },
      ],
    ]),
    ...Array.from({ length: records }, (_, index): Told => {
      const [organizationId = '', id] = [ids[index % organizations], `right_${index}`];
      const data = { organizationId, id, version: 1, ...accessRight, at };
      return [`accessRight-${organizationId}.${id}`, { type: 'AccessRightRecorded', data }];
    }),
  ];
};

const issued = (organizationId: string): DomainEvent => ({
  type: 'AuthorizationCodeIssued',
  data: {
    grantId: `G${organizationId}`,
    addonId,
    userId: 'U1',
    subject: { kind: 'organization', organizationId, epoch: 1 },
    scopes,
    redirectUri: 'https://addon.example/callback',
    codeChallenge: 'C',
    nonce: null,
    resources: [],
    authTime: 1,
    authentication: null,
    keyId: 'K',
    salt: 'S',
    at,
    expiresAt: 60,
  },
});

/** As if it were read from an event store, some 500 bytes apart. */
const logOf = (told: readonly Told[]): LogSubscriptions => {
  const revisions = new Map<string, bigint>();
  const messages = told.map(([stream, event], index): LogMessage => {
    const revision = (revisions.get(stream) ?? -1n) + 1n;
    revisions.set(stream, revision);
    const n = BigInt(500 * (index + 1));
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const position = { commit: n, prepare: n };
    return { kind: 'event', event: { id, stream, revision, position, created: at, event, metadata: {} } };
  });
  return {
    async *subscribe({ signal }) {
      yield* messages;
      yield { kind: 'caught-up' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  };
};
