import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { vi } from 'vitest';
import { httpParts } from '../../src/compose/http.ts';
import { composeService } from '../../src/compose/service.ts';
import { startWorkers } from '../../src/compose/workers.ts';
import { subkeyFor, type TokenKeys } from '../../src/commands/credentials/token-keys.ts';
import { readConfig } from '../../src/config/config.ts';
import { composeServer } from '../../src/compose/server.ts';
import { newestShown } from '../../src/projections/follow/newest-shown.ts';
import { decryptPrivateKey } from '../../src/signing/encrypted-key.ts';
import { patience } from '../support/patience.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { freePort } from '../support/servers/free-port.ts';
import type { HttpApp } from '../support/scenes/http-app.ts';
import { startTestNode } from '../support/servers/node.ts';
import { templatesOf } from '../support/documents/registered-routes.ts';
import { messagesOf } from './messages.ts';
import { overTheWire } from './over-the-wire.ts';
import { makeSecrets, type Secrets } from './secrets.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

/**
 * The composition of the real process on real parts: the node behind the real client, PostgreSQL, argon2id, both
 * workers, a socket; with the log at its most talkative, and everything kept that leaves the process.
 */
export const startWholeService = async () => {
  const output = keepOutput();
  const secrets = makeSecrets();
  const key = randomBytes(32);
  const node = await startTestNode({ onError: (error) => logger.error({ err: error }, 'the node') });
  const database = await migratedDatabase();
  const lines: string[] = [];
  const logger = watchedLogger((line) => void lines.push(line), 'trace');
  const config = readConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'trace',
    TOKEN_KEYS: `k1:${key.toString('base64url')}`,
    PERSONAL_DATA_KEYS: `p1:${randomBytes(32).toString('base64url')}`,
    REFRESH_GRACE: '0',
    ...noBroker,
  });
  secrets.add('Kafka password', noBroker.KAFKA_SASL_PASSWORD);
  const core = await composeService(config, { databaseUrl: database.url, eventStoreUrl: node.url }, logger);
  addKeys(secrets, key, core.keys);
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const workers = await startWorkers(core, baseUrl);
  await workers.ready;
  const server = composeServer(httpParts(core, () => workers, { baseUrl }));
  await server.listen({ host: '127.0.0.1', port: Number(new URL(baseUrl).port) });
  const wire = overTheWire(baseUrl, secrets);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => undefined);
  const http: HttpApp = {
    app: wire.app,
    baseUrl,
    commands: core.commands,
    readModels: core.readModels,
    store: core.store,
    answered: new Set(),
    lines: [],
    another: () => server,
    advance: () => undefined,
    setTrusted: () => undefined,
    async settle() {
      const last = await newestShown(core.store, core.readModels, patience);
      if (last && !(await core.readModels.waitFor(last, patience)))
        throw new Error('the read models are behind');
    },
    async tellHistory() {
      if (!(await core.audit.settled(patience))) throw new Error('the history is behind');
    },
    async close() {
      await server.close();
      await workers.stop();
      await core.close();
      await pool.end();
      await database.drop();
      await node.close();
      output.restore();
    },
  };
  return {
    http,
    secrets,
    node,
    logger,
    /** The database of the read models and the fence. */
    pool,
    answers: wire.answers,
    signingKeys: core.signingKeys,
    trusted: () => workers.trusted(),
    templates: () => templatesOf(server),
    /** What no request and no answer ever holds. */
    notePrivateKeys: () => notePrivateKeys(secrets, pool, core.keys),
    /** Everything that could hold a secret, by where it is: what a person or a program finds there. */
    places: async (): Promise<Readonly<Record<string, readonly string[]>>> => ({
      'log lines': lines,
      'process output': output.lines,
      'error answers': wire.answers
        .filter(isError)
        .map((answer) => JSON.stringify({ ...answer, request: '' })),
      events: await rowsOf(node.databaseUrl, 'eventstore'),
      'read models': await rowsOf(database.url, 'public'),
      messages: await messagesOf(http, logger),
      metrics: [await (await fetch(`${baseUrl}/metrics`)).text()],
      readiness: [await (await fetch(`${baseUrl}/health/ready`)).text()],
    }),
  };
};

/** Kafka is configured, and nobody is there: what is told about that is in the log, too. */
const noBroker = {
  KAFKA_BROKERS: '127.0.0.1:1',
  KAFKA_SASL_MECHANISM: 'plain',
  KAFKA_SASL_USERNAME: 'grantbook',
  KAFKA_SASL_PASSWORD: `Kafka's, and nobody else's: ${randomBytes(16).toString('hex')}`,
};

export type WholeService = Awaited<ReturnType<typeof startWholeService>>;

const isError = ({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }) =>
  status >= 400 || /[?&]error=/.test(headers['location'] ?? '');

const addKeys = (secrets: Secrets, key: Uint8Array, keys: TokenKeys): void => {
  secrets.addBytes('server key', key);
  for (const purpose of ['secret', 'tag', 'session', 'cursor', 'interaction', 'signing-key'] as const) {
    const subkey = subkeyFor(keys, 'k1', purpose)?.export();
    if (subkey) secrets.addBytes(`server key for ${purpose}`, subkey);
  }
};

/** Without the modulus of an RSA key, which is public. */
const notePrivateKeys = async (secrets: Secrets, pool: pg.Pool, keys: TokenKeys): Promise<void> => {
  const { rows } = await pool.query<Parameters<typeof decryptPrivateKey>[1]>(
    'select kid, token_key_id as "tokenKeyId", sealed_private_key as "encryptedPrivateKey" from signing_keys',
  );
  for (const row of rows) {
    const { d, p, q, dp, dq, qi } = decryptPrivateKey(keys, row)?.export({ format: 'jwk' }) ?? {};
    if (d === undefined) throw new Error('a signing key that cannot be opened cannot be looked for');
    for (const member of [d, p, q, dp, dq, qi]) if (member) secrets.add('private key', member);
  }
};

/** Every row of every table, each cell as it is; bytes as Latin 1, so that every one of them is seen. */
const rowsOf = async (url: string, schema: string): Promise<readonly string[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ tablename: string }>(
      'select tablename from pg_tables where schemaname = $1 order by 1',
      [schema],
    );
    const found: string[] = [];
    for (const { tablename } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from ${schema}.${tablename}`);
      for (const row of rows) found.push([tablename, ...Object.values(row).map(textOf)].join('\n'));
    }
    return found;
  } finally {
    await client.end();
  }
};

const textOf = (cell: unknown): string => {
  if (Buffer.isBuffer(cell)) return cell.toString('latin1');
  return typeof cell === 'string' ? cell : (JSON.stringify(cell) ?? '');
};

/** Keeps what this process would print, and prints none of it. */
const keepOutput = () => {
  const lines: string[] = [];
  const keep = (...parts: readonly unknown[]) => {
    lines.push(parts.map(String).join(' '));
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(keep),
    vi.spyOn(process.stderr, 'write').mockImplementation(keep),
    ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(keep),
    ),
  ];
  return { lines, restore: () => spies.forEach((spy) => spy.mockRestore()) };
};
