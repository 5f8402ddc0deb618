import { createHash } from 'node:crypto';
import { pino } from 'pino';
import type { Outcome } from '../src/commands/kernel/outcome.ts';
import { composeService, type ServiceCore } from '../src/compose/service.ts';
import type { Servers } from '../src/compose/stores.ts';
import { readConfig } from '../src/config/config.ts';
import { allowableScopes } from '../src/domain/access/scope.ts';
import { choiceOf } from '../src/http/oauth/authorize/subject-candidates.ts';
import { attachEmbedded } from '../src/embedded/start-embedded.ts';
import { startService, withoutServers } from '../demo/running-service.ts';
import { closedInAnyCase } from './closing.ts';
import { unlimited } from './unlimited.ts';
import { sessionHeader } from './session-header.ts';

/** A running service with one organization, an active add-on, an approved consent and `records` access rights. */
export type World = {
  readonly baseUrl: string;
  /** The environment with which the command line finds the same service. */
  readonly env: NodeJS.ProcessEnv;
  readonly servers: Servers;
  /** The same two servers, opened in this process, too. */
  readonly core: ServiceCore;
  readonly organizationId: string;
  readonly clientId: string;
  /** Session of the administrator, as a Cookie header. */
  readonly cookie: string;
  /** This many sessions of the same administrator, as Cookie headers. */
  moreSessions(count: number): Promise<readonly string[]>;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  readonly authorizePath: string;
  close(): Promise<void>;
};

/** Not loopback: an add-on whose identity is not assured asks for approval every time (AZ-38). */
export const redirectUri = 'https://addon.example/callback';
/** Without openid: an id_token needs an RS256 signature, which is not part of rotating tokens. */
export const scopes = allowableScopes.filter((scope) => scope !== 'openid');
/** The registration of every add-on of the bench. */
export const benchAddon = {
  name: 'Bench add-on',
  redirectUris: [redirectUri],
  configurationUrl: 'https://addon.example/configure',
  allowedScopes: scopes,
  confidential: false,
} as const;
const codeVerifier = 'bench-'.padEnd(64, 'v');

export const startWorld = async ({ records }: { readonly records: number }): Promise<World> => {
  const env = { ...withoutServers(process.env), ...unlimited, LOG_LEVEL: 'warn', CODE_TTL: '600' };
  const service = await startService(env);
  const stopService = closedInAnyCase(() => service.stop());
  const config = readConfig({ ...env, ...service.env });
  const embedded = await attachEmbedded({
    dataDir: config.dataDir,
    need: { postgres: true, eventStore: true },
  });
  const servers = { databaseUrl: embedded.databaseUrl ?? '', eventStoreUrl: embedded.eventStoreUrl ?? '' };
  const core = await composeService(config, servers, pino({ level: 'warn' }));
  const { organizationId, clientId, session } = await furnish(core, records);
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes.join(' '),
    state: 'bench',
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return {
    baseUrl: service.baseUrl,
    env: service.env,
    servers,
    core,
    organizationId,
    clientId,
    cookie: sessionHeader(service.baseUrl, session),
    moreSessions: async (count) =>
      (await signInAgain(core, 'bench', count)).map((cookie) => sessionHeader(service.baseUrl, cookie)),
    redirectUri,
    codeVerifier,
    authorizePath: `/oauth/authorize?${query.toString()}`,
    async close() {
      await core.close();
      await stopService();
    },
  };
};

const furnish = async (core: ServiceCore, records: number) => {
  const { commands, readModels } = core;
  const { clientId } = done(await commands.registerAddon(benchAddon));
  const { organizationId, session, position } = await furnishOrganization(core, clientId, 'bench');
  for (let index = 0; index < records; index += 1)
    done(
      await commands.recordAccessRight({
        organizationId,
        id: `right_${index}`,
        version: 1,
        record: accessRight,
      }),
    );
  await readModels.waitFor(position, 10_000);
  return { organizationId, clientId, session };
};

/**
 * Creates an organization whose only administrator has activated and approved the add-on; returns the
 * cookie of the session.
 */
export const furnishOrganization = async ({ commands }: ServiceCore, addonId: string, name: string) => {
  const { organizationId } = done(await commands.createOrganization({ name }));
  const account = accountOf(name);
  done(await commands.createUser({ ...account, name, administratorOf: [organizationId], roles: [] }));
  const { cookie, session } = done(await commands.signIn({ ...account, from: null }));
  const { epoch, position } = done(
    await commands.activateAddon({ organizationId, addonId, by: session.userId, sessionId: null }),
  );
  const subject = { kind: 'organization', organizationId, epoch } as const;
  // As on the page: a choice between the organization and the user's own records (FX-22).
  const choice = choiceOf([{ key: `organization:${organizationId}` }, { key: 'user' }]);
  await commands.approveScopes({ userId: session.userId, addonId, subject, scopes, choice });
  return { organizationId, session: cookie, epoch, position };
};

/** One after the other: only few passwords are hashed at a time, and few may wait. */
const signInAgain = async ({ commands }: ServiceCore, name: string, count: number) => {
  const cookies: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { cookie } = done(await commands.signIn({ ...accountOf(name), from: null }));
    cookies.push(cookie);
  }
  return cookies;
};

const accountOf = (name: string) => ({ email: `${name}@example.com`, password: 'a password of the bench' });

export const accessRight = {
  profileId: 'person_1',
  opens: 'Front door',
  validFrom: '2026-01-01T00:00:00Z',
  validUntil: null,
  status: 'active',
  reservationId: null,
} as const;

export const done = <T>(outcome: Outcome<T, string>): T => {
  if (outcome.ok) return outcome.value;
  throw new Error(`the bench could not be set up: ${outcome.refusal}`);
};
