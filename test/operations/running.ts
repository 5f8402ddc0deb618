import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { inject } from 'vitest';
import type { Waits } from '../../src/cli/base/connect.ts';
import { httpParts } from '../../src/compose/http.ts';
import { composeService, type ServiceCore } from '../../src/compose/service.ts';
import { startWorkers, type Workers } from '../../src/compose/workers.ts';
import { readConfig, type Config } from '../../src/config/config.ts';
import { composeServer } from '../../src/compose/server.ts';
import { challenge, verifier } from '../support/scenes/grants.ts';
import { valueOf } from '../support/outcomes.ts';
import { listWith } from '../support/scenes/http-scene.ts';
import { settled } from '../support/settled.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';
import { newAddon, newUser } from '../support/registering.ts';
import { profileOf } from '../support/scenes/profile.ts';

export type Stores = { readonly databaseUrl: string; readonly eventStoreUrl: string };

/** What the service logs. */
export type Line = {
  readonly level: number;
  readonly msg: string;
  readonly alarm?: boolean;
  readonly checkpoint?: string;
};

/** An instance of the service in this process, on real servers. */
export type Running = {
  readonly core: ServiceCore;
  readonly workers: Workers;
  readonly app: FastifyInstance;
  readonly lines: readonly Line[];
  /** What the list answers to a token. */
  list(accessToken: string): Promise<number>;
  /** Resolves once all that the log makes is made; nobody may add to it meanwhile. */
  settled(): Promise<void>;
  stop(): Promise<void>;
};

export const settingsFor = (stores: Stores): Readonly<Record<string, string>> => ({
  DATABASE_URL: stores.databaseUrl,
  EVENTSTORE_URL: stores.eventStoreUrl,
  TOKEN_KEYS: tokenKeys,
  PERSONAL_DATA_KEYS: personalDataKeys,
  RATE_LIMIT_ACTIVATION: '0',
  RATE_LIMIT_ADDON: '0',
  RATE_LIMIT_TOKEN: '0',
  RATE_LIMIT_SIGN_IN: '0',
});

const newKeys = () => `k1:${randomBytes(32).toString('base64url')}`;
const [tokenKeys, personalDataKeys] = [newKeys(), newKeys()];

/** @param waits how long it waits for the event store, and for its lists; as in production by default */
export const run = async (
  stores: Stores,
  more: Readonly<Record<string, string>> = {},
  waits: Partial<Pick<Waits, 'timeouts' | 'shownMs'>> = {},
): Promise<Running> => {
  const config: Config = readConfig({ ...settingsFor(stores), ...more });
  const baseUrl = config.baseUrl ?? 'http://127.0.0.1';
  const lines: Line[] = [];
  const logger = watchedLogger((line) => void lines.push(JSON.parse(line) as Line), 'info');
  const core = await composeService(config, stores, logger, null, waits.timeouts);
  const workers = await startWorkers(core, baseUrl);
  const app = composeServer(httpParts(core, () => workers, { baseUrl, ...waits }));
  return {
    core,
    workers,
    app,
    lines,
    list: async (accessToken) => (await listWith({ app } as never, '/profiles', accessToken)).statusCode,
    settled: () => settled(core.store, stores.databaseUrl),
    async stop() {
      await app.close();
      await workers.stop();
      await core.close();
    },
  };
};

/** An organization with records, its administrator, and an add-on that is active for it and holds a token. */
export const makeCast = async ({ commands }: ServiceCore) => {
  const { organizationId } = valueOf(await commands.createOrganization({ name: 'Harbour House' }));
  const userId = await newUser(commands, { name: 'Bo', administratorOf: [organizationId] });
  for (const id of ['P1', 'P2'])
    await commands.recordProfile({ organizationId, id, version: 1, record: profileOf('Ada') });
  return { organizationId, userId };
};

export type Cast = Awaited<ReturnType<typeof makeCast>>;

const redirectUri = 'https://addon.example/cb';

/** Registers an add-on, activates it and gets it a token of the organization. */
export const makeAddon = async (
  { commands }: Pick<ServiceCore, 'commands'>,
  { organizationId, userId }: Cast,
) => {
  const { clientId: addonId } = await newAddon(commands);
  const activation = { organizationId, addonId, by: userId };
  valueOf(await commands.activateAddon({ ...activation, sessionId: null }));
  const { epoch } = await commands.showActivation(organizationId, addonId);
  const subject = { kind: 'organization', organizationId, epoch } as const;
  const pair = await grantedBy(commands, { addonId, userId, subject, scopes: ['profiles:read'] });
  return { ...activation, addonId, token: pair.accessToken, refreshToken: pair.refreshToken };
};

/** The tokens of an add-on with that redirect URI, which a user has allowed. */
export const grantedBy = async (
  commands: ServiceCore['commands'],
  allowed: Pick<Parameters<typeof commands.issueCode>[0], 'addonId' | 'userId' | 'subject' | 'scopes'>,
) => {
  const asked = { redirectUri, nonce: null, resources: [], authTime: Date.now(), codeChallenge: challenge };
  const { code } = valueOf(await commands.issueCode({ ...allowed, ...asked }));
  const { addonId } = allowed;
  return valueOf(
    await commands.exchangeCode({ addonId, code, redirectUri, codeVerifier: verifier, resources: null }),
  );
};

const asAdmin = async (...statements: readonly string[]): Promise<void> => {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  try {
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
};

export const nameOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1);

/** A copy of a database that nobody uses now, as a backup is; the name of the copy. */
export const backUp = async (databaseUrl: string): Promise<string> => {
  const copy = `backup_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(`create database ${copy} template ${nameOf(databaseUrl)}`);
  return copy;
};

/** Puts the backup in the place of the database, whoever uses it; their connections end. */
export const restore = (databaseUrl: string, copy: string): Promise<void> =>
  asAdmin(
    `drop database ${nameOf(databaseUrl)} with (force)`,
    `create database ${nameOf(databaseUrl)} template ${copy}`,
  );

export const forget = (copy: string): Promise<void> =>
  asAdmin(`drop database if exists ${copy} with (force)`);
