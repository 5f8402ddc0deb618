import { expect, vi } from 'vitest';
import { composeService, type ServiceCore } from '../../../src/compose/service.ts';
import { readConfig } from '../../../src/config/config.ts';
import { patience } from '../../support/patience.ts';
import { freshDatabase, serverOf, urlThrough } from '../../support/servers/databases.ts';
import { endInstance } from '../../support/servers/instance.ts';
import { startTestNode } from '../../support/servers/node.ts';
import { valueOf } from '../../support/outcomes.ts';
import { startTcpProxy, type TcpProxy } from '../../support/servers/tcp-proxy.ts';
import { startTwoInstances } from '../../support/servers/two-instances.ts';
import { type PushReceiver, startPolling, startPushReceiver } from './receivers.ts';
import { makeTold, type Told } from './told.ts';
import { watchedLogger } from '../../support/trouble/watched-lines.ts';

const issuer = 'https://auth.example';
const organizations = 3;
const uri = (name: string) => `${issuer}/signals/addon-${name}`;

export type Place = 0 | 1;
export const places: readonly Place[] = [0, 1];
export const other = (place: Place): Place => (place === 0 ? 1 : 0);

/** An add-on with its stream. */
export type Listener = { readonly addonId: string; readonly streamId: string; readonly told: Told };

/** Two instances, and two add-ons that are told the same of the same organizations: one polls, one is pushed to. */
export type Stage = {
  readonly core: ServiceCore;
  readonly databaseUrl: string;
  /** Between each instance and the servers. */
  readonly wires: Readonly<Record<'database' | 'log', readonly [TcpProxy, TcpProxy]>>;
  readonly polled: Listener;
  readonly pushed: Listener;
  readonly receiver: PushReceiver;
  /** Every organization switches both add-ons on and off. */
  readonly change: () => Promise<void>;
  /** Waits until both add-ons know of every change, and the service knows that they do. */
  readonly untilTold: () => Promise<void>;
  /** From now on nothing may come that the service knows to be acknowledged. */
  readonly note: () => Promise<void>;
  readonly signal: (place: Place, name: 'SIGSTOP' | 'SIGCONT') => void;
  /** kill -9; what the instance had sent and was not through yet is lost, too. */
  readonly kill: (place: Place) => Promise<void>;
  readonly restart: (place: Place) => Promise<void>;
  /** What this worker of an instance says of itself. */
  readonly roleOf: (place: Place, worker: string) => Promise<string | undefined>;
  close(): Promise<void>;
};

/** Generous: a busy machine is no failure. */
export const often = { timeout: patience, interval: 20 };

export const openStage = async (): Promise<Stage> => {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    return { ...(await build(closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const build = async (closers: (() => unknown)[]): Promise<Omit<Stage, 'close'>> => {
  const node = await startTestNode();
  closers.push(() => node.close());
  const database = await freshDatabase();
  closers.push(() => database.drop());
  const pair = async (server: number | string): Promise<[TcpProxy, TcpProxy]> => {
    const wires = await Promise.all([startTcpProxy(server), startTcpProxy(server)]);
    closers.push(() => Promise.all(wires.map((wire) => wire.close())));
    return wires;
  };
  const wires = {
    database: await pair(serverOf(database.url)),
    log: await pair(Number(new URL(node.url.replace('esdb:', 'http:')).port)),
  };
  const direct = { databaseUrl: database.url, eventStoreUrl: node.url };
  const through = (place: Place) => ({
    databaseUrl: urlThrough(wires.database[place], database.url),
    eventStoreUrl: wires.log[place].url,
  });
  const two = await startTwoInstances([through(0), through(1)], { ISSUER: issuer });
  closers.push(two.stop);
  const core = await composeService(readConfig(two.settings), direct, watchedLogger());
  closers.push(() => core.close());
  const told = { polled: makeTold(), pushed: makeTold() };
  const receiver = await startPushReceiver(told.pushed);
  closers.push(receiver.close);

  const { commands } = core;
  const ids: string[] = [];
  for (let n = 0; n < organizations; n += 1)
    ids.push(valueOf(await commands.createOrganization({ name: `O${n}` })).organizationId);
  const account = { email: 'ada@example.com', password: 'correct horse battery staple', name: 'Ada' };
  const { userId: by } = valueOf(await commands.createUser({ ...account, administratorOf: ids, roles: [] }));
  const listen = async (name: 'polled' | 'pushed'): Promise<Listener> => {
    const registered = await commands.registerAddon({
      name,
      redirectUris: ['https://addon.example/cb'],
      configurationUrl: 'https://addon.example/configure',
      allowedScopes: ['profiles:read'],
      confidential: true,
    });
    const { clientId: addonId } = valueOf(registered);
    const isPushed = name === 'pushed';
    const created = await commands.createSignalStream({
      addonId,
      caller: 'addon',
      configuration: {
        method: isPushed ? 'push' : 'poll',
        endpointUrl: isPushed ? receiver.url : null,
        authorization: null,
        eventsRequested: [uri('activated'), uri('deactivated')],
        description: null,
      },
    });
    return { addonId, streamId: valueOf(created).stream.streamId, told: told[name] };
  };
  const [polled, pushed] = [await listen('polled'), await listen('pushed')];
  const [secret] = (await commands.listAddonSecrets(polled.addonId)) ?? [];
  const issue = { addonId: polled.addonId, secretId: secret?.secretId ?? '', scopes: ['ssf.read'] } as const;
  const polling = startPolling({
    told: polled.told,
    accessToken: valueOf(await commands.issueAddonToken(issue)).accessToken,
    address: (turn) => `${two.instances[turn % 2 === 0 ? 0 : 1].baseUrl}/ssf/poll/${polled.streamId}`,
  });
  closers.push(() => polling.stop());

  let changes = 0;
  const change = async () => {
    changes += 2;
    for (const organizationId of ids)
      for (const { addonId } of [polled, pushed]) {
        valueOf(await commands.activateAddon({ organizationId, addonId, by, sessionId: null }));
        valueOf(await commands.deactivateAddon({ organizationId, addonId, by }));
      }
  };
  const counts = () => [polled, pushed].map((one) => ids.map((id) => one.told.count(id)));
  const waiting = async () => (await core.pool.query('select 1 from signal_sets where waiting')).rowCount;
  const note = async () => {
    const { rows } = await core.pool.query<{ jti: string }>('select jti from signal_sets where not waiting');
    for (const one of [polled, pushed]) one.told.noted(rows.map(({ jti }) => jti));
  };
  return {
    core,
    databaseUrl: database.url,
    wires,
    polled,
    pushed,
    receiver,
    change,
    note,
    async untilTold() {
      const all = ids.map(() => changes);
      await vi.waitFor(() => expect(counts()).toEqual([all, all]), often);
      await vi.waitFor(async () => expect(await waiting()).toBe(0), often);
      await note();
    },
    signal: (place, name) => void two.instances[place].child.kill(name),
    async kill(place) {
      await endInstance(two.instances[place], 'SIGKILL');
      for (const kind of ['database', 'log'] as const) wires[kind][place].cut();
    },
    restart: async (place) => void (await two.restart(place)),
    async roleOf(place, worker) {
      const answer = await fetch(`${two.instances[place].baseUrl}/health/ready`);
      const { checks } = (await answer.json()) as { readonly checks: Readonly<Record<string, string>> };
      return checks[worker];
    },
  };
};
