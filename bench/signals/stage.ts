import { pino } from 'pino';
import { composeService, type ServiceCore } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { startServers } from '../revocation/servers.ts';
import { benchAddon, done } from '../world.ts';

/** An event type that nothing but the bench tells. */
export const benchEvent = 'urn:grantbook:bench';

/** Confidential add-ons that are active for every one of a few organizations. */
export type SignalStage = {
  readonly databaseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  readonly core: ServiceCore;
  readonly addons: readonly Addon[];
  readonly organizationIds: readonly string[];
  /** Of a session of an administrator of all organizations. */
  readonly cookie: string;
  close(): Promise<void>;
};

type Addon = { readonly clientId: string; readonly streamId: string; readonly token: string };

const account = { email: 'bench@example.com', password: 'a password of the bench' };

/** @param issuer the address that the service will have */
export const startSignalStage = async (
  count: number,
  organizations: number,
  issuer: string,
): Promise<SignalStage> => {
  const servers = await startServers();
  const node = await servers.startNode();
  const env = { ...servers.env(node.url), ISSUER: issuer, ACCESS_TOKEN_TTL: '3600' };
  const core = await composeService(
    readConfig(env),
    { databaseUrl: servers.databaseUrl, eventStoreUrl: node.url },
    pino({ level: 'warn' }),
  );
  const { commands } = core;
  const organizationIds = await times(
    organizations,
    async (place) => done(await commands.createOrganization({ name: `Bench ${place}` })).organizationId,
  );
  const user = { ...account, name: 'Bench', administratorOf: organizationIds, roles: [] };
  const { userId: by } = done(await commands.createUser(user));
  const { cookie } = done(await commands.signIn({ ...account, from: null }));
  const addons = await times(count, async (): Promise<Addon> => {
    const registered = done(await commands.registerAddon({ ...benchAddon, confidential: true }));
    const { clientId } = registered;
    for (const organizationId of organizationIds)
      done(await commands.activateAddon({ organizationId, addonId: clientId, by, sessionId: null }));
    const [secret] = (await commands.listAddonSecrets(clientId)) ?? [];
    const token = done(
      await commands.issueAddonToken({
        addonId: clientId,
        secretId: secret?.secretId ?? '',
        scopes: ['ssf.read', 'ssf.manage'],
      }),
    );
    const { stream } = done(
      await commands.createSignalStream({
        addonId: clientId,
        caller: 'addon',
        configuration: {
          method: 'poll',
          endpointUrl: null,
          authorization: null,
          eventsRequested: [`${issuer}/signals/addon-deactivated`, benchEvent],
          description: null,
        },
      }),
    );
    return { clientId, streamId: stream.streamId, token: token.accessToken };
  });
  return {
    databaseUrl: servers.databaseUrl,
    env,
    core,
    addons,
    organizationIds,
    cookie,
    async close() {
      await core.close();
      await node.close();
      await servers.close();
    },
  };
};

/** Sixteen at once, in order. */
const times = async <T>(count: number, make: (place: number) => Promise<T>): Promise<readonly T[]> => {
  const made: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let place = next++; place < count; place = next++) made[place] = await make(place);
    }),
  );
  return made;
};
