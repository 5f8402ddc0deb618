import { setTimeout as pause } from 'node:timers/promises';
import { composeService, type ServiceCore } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { startWatchingDatabase } from '../../src/projections/database/watch-database.ts';
import { makeAddon, makeCast } from '../operations/running.ts';
import { startPolling, startPushReceiver } from '../signals/killed/receivers.ts';
import { makeTold, type Told } from '../signals/killed/told.ts';
import { endInstance, type Instance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { valueOf } from '../support/outcomes.ts';
import { sharedSettings, type SharedStores } from '../support/shared-settings.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

/** The built service in a process of its own, with add-ons that refresh, list, poll and are pushed to all the time. */
export type BusyService = {
  readonly instance: Instance;
  readonly core: ServiceCore;
  /** Answers that no client should ever get. */
  readonly surprises: string[];
  /** By kind of request, how often it was answered with 200, and put off with 503. */
  readonly answered: Readonly<Record<Kind, number>>;
  readonly putOff: Readonly<Record<Kind, number>>;
  /** The status codes of `/health/ready`, and what its checks said, in order; only what differs from the one before. */
  readonly readiness: string[];
  readonly told: Readonly<Record<'polled' | 'pushed', Told>>;
  /** How many notices each listening add-on has got of the changes so far. */
  readonly notices: () => readonly [polled: number, pushed: number];
  /** Switches the add-ons that listen on and off for their organization. @returns how many notices each must have then */
  readonly change: () => Promise<readonly [polled: number, pushed: number]>;
  readonly close: () => Promise<void>;
};

type Kind = 'refresh' | 'list' | 'ready';

const issuer = 'https://auth.example';

/** Lifetimes so long that nothing expires, however slow this machine is. */
const lifetimes = { CODE_TTL: '600', REFRESH_GRACE: '600', ACCESS_TOKEN_TTL: '36000' };

export const startBusyService = async (
  stores: SharedStores,
  more: Readonly<Record<string, string>> = {},
): Promise<BusyService> => {
  const settings = { ...sharedSettings(stores), ...lifetimes, ISSUER: issuer, LOG_LEVEL: 'info', ...more };
  const instance = await readyInstance(spawnInstance(settings));
  const core = await composeService(readConfig(settings), stores, watchedLogger());
  const { generation: database } = core;
  const watching = startWatchingDatabase({
    databaseUrl: stores.databaseUrl,
    database,
    logger: quietLogger(),
  });
  const cast = await makeCast(core);
  const chains = [await makeAddon(core, cast), await makeAddon(core, cast)];
  const told = { polled: makeTold(), pushed: makeTold() };
  const receiver = await startPushReceiver(told.pushed);
  const listeners = { polled: await listen(core, null), pushed: await listen(core, receiver.url) };
  const [secret] = (await core.commands.listAddonSecrets(listeners.polled.addonId)) ?? [];
  const asked = { addonId: listeners.polled.addonId, secretId: secret?.secretId ?? '', scopes: ['ssf.read'] };
  const polling = startPolling({
    told: told.polled,
    accessToken: valueOf(await core.commands.issueAddonToken(asked as never)).accessToken,
    address: () => `${instance.baseUrl}/ssf/poll/${listeners.polled.streamId}`,
  });

  const surprises: string[] = [];
  const answered = { refresh: 0, list: 0, ready: 0 };
  const putOff = { refresh: 0, list: 0, ready: 0 };
  const readiness: string[] = [];
  let isOver = false;
  const keep = async (kind: Kind, ask: () => Promise<Response | null>, everyMs: number) => {
    while (!isOver) {
      const answer = await ask().catch(() => null);
      if (answer?.status === 200) answered[kind] += 1;
      else if (answer?.status === 503) {
        putOff[kind] += 1;
        if (kind !== 'ready' && !/^\d+$/.test(answer.headers.get('retry-after') ?? ''))
          surprises.push(`${kind}: 503 without Retry-After`);
      } else if (answer) surprises.push(`${kind}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
      else if (instance.child.exitCode !== null || instance.child.signalCode !== null) return;
      await pause(everyMs);
    }
  };
  const { baseUrl } = instance;
  const loops = [
    ...chains.map((chain) => keep('refresh', makeRefresh(baseUrl, chain.addonId, chain.refreshToken), 5)),
    ...chains.map(({ token }) =>
      keep(
        'list',
        async () => {
          const answer = await fetch(`${baseUrl}/profiles`, {
            headers: { authorization: `Bearer ${token}` },
          });
          await answer.arrayBuffer();
          return answer;
        },
        5,
      ),
    ),
    keep('ready', () => askReadiness(baseUrl, readiness), 100),
  ];
  const { organizationId, userId: by } = cast;
  return {
    instance,
    core,
    surprises,
    answered,
    putOff,
    readiness,
    told,
    notices: () => [told.polled.count(organizationId), told.pushed.count(organizationId)],
    async change() {
      const change = async ({ addonId }: { readonly addonId: string }) => {
        valueOf(await core.commands.activateAddon({ organizationId, addonId, by, sessionId: null }));
        valueOf(await core.commands.deactivateAddon({ organizationId, addonId, by }));
        return 2 * (await core.commands.showActivation(organizationId, addonId)).epoch;
      };
      return [await change(listeners.polled), await change(listeners.pushed)];
    },
    async close() {
      isOver = true;
      await endInstance(instance, 'SIGKILL');
      await Promise.all(loops);
      await polling.stop();
      receiver.close();
      await watching.stop();
      await core.close();
    },
  };
};

/** A refresh is repeated with the same token until it is answered (RT-04). */
const makeRefresh = (baseUrl: string, clientId: string, first: string) => {
  let refreshToken = first;
  return async (): Promise<Response> => {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
    });
    const answer = await fetch(`${baseUrl}/oauth/token`, { method: 'POST', body });
    const said = (await answer.clone().json()) as { readonly refresh_token?: string };
    refreshToken = said.refresh_token ?? refreshToken;
    return answer;
  };
};

const askReadiness = async (baseUrl: string, readiness: string[]): Promise<Response> => {
  const answer = await fetch(`${baseUrl}/health/ready`);
  const { status, checks } = (await answer.json()) as {
    readonly status: string;
    readonly checks: Readonly<Record<string, string>>;
  };
  const line = `${answer.status} ${status} ${checks['database']}`;
  if (readiness.at(-1) !== line) readiness.push(line);
  return answer;
};

const listen = async ({ commands }: ServiceCore, pushTo: string | null) => {
  const registered = await commands.registerAddon({
    name: pushTo === null ? 'Polled' : 'Pushed',
    redirectUris: ['https://addon.example/cb'],
    configurationUrl: 'https://addon.example/configure',
    allowedScopes: ['profiles:read'],
    confidential: true,
  });
  const { clientId: addonId } = valueOf(registered);
  const created = await commands.createSignalStream({
    addonId,
    caller: 'addon',
    configuration: {
      method: pushTo === null ? 'poll' : 'push',
      endpointUrl: pushTo,
      authorization: null,
      eventsRequested: [`${issuer}/signals/addon-activated`, `${issuer}/signals/addon-deactivated`],
      description: null,
    },
  });
  return { addonId, streamId: valueOf(created).stream.streamId };
};
