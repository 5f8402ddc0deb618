import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startCallbackServer } from '../../demo/callback-server.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startHealthCheckingProxy } from '../support/servers/health-checking-proxy.ts';
import { endInstance, type Instance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { sharedSettings } from '../support/servers/two-instances.ts';
import {
  startConnecting,
  startDeactivating,
  startRefreshing,
  type Callers,
  type Client,
  type Registered,
} from './load.ts';
import { buildVersion, whyMissing, type BuiltVersion } from './version-at.ts';
import { isExhaustive, isSlow } from '../support/slow.ts';
import { startTestServers } from '../support/test-servers.ts';

vi.setConfig({ testTimeout: 600_000 });

const before = 'edcbc79';
const person = { email: 'bo@example.com', password: 'correct horse battery staple' };

type Settings = Readonly<Record<string, string>>;
type Place = { readonly instance: Instance; readonly url: string };

const startScene = async (old: BuiltVersion) => {
  const { stores } = await startTestServers(onTestFinished, freshDatabase);
  const [proxy, callback] = await Promise.all([startHealthCheckingProxy(), startCallbackServer()]);
  const settings: Settings = {
    ...sharedSettings(stores),
    BASE_URL: proxy.url,
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const places: Place[] = [];
  onTestFinished(async () => {
    await Promise.all(places.map(({ instance }) => endInstance(instance, 'SIGKILL')));
    await Promise.all([proxy.close(), callback.close()]);
  });
  const start = async (version: 'old' | 'new'): Promise<Place> => {
    const port = await freePort();
    const program = version === 'old' ? [old.service] : [];
    const instance = await readyInstance(spawnInstance({ ...settings, PORT: String(port) }, ...program));
    const place = { instance, url: `http://127.0.0.1:${port}` };
    places.push(place);
    return place;
  };
  return { start, proxy, settings, redirectUri: callback.redirectUri };
};

/** What the version before makes by its command line. */
const makeCast = async (old: BuiltVersion, settings: Settings, redirectUri: string) => {
  const command = async (input: string, ...args: readonly string[]) => {
    const running = promisify(execFile)(process.execPath, [old.commandLine, ...args, '--json'], {
      env: { PATH: process.env['PATH'], ...settings },
    });
    running.child.stdin?.end(input);
    return JSON.parse((await running).stdout) as Record<string, string>;
  };
  const words = (text: string) => text.split(' ');
  const made = await command('', ...words('organization create --name Harbour'));
  const organizationId = made['organization_id'] ?? '';
  const user = `user create --email ${person.email} --name Bo --administrator-of ${organizationId}`;
  const created = await command(`${person.password}\n`, ...words(user));
  const register = async (name: string): Promise<Registered> => {
    const addresses = `--redirect-uri ${redirectUri} --configuration-url ${redirectUri}`;
    const rights = '--scope openid --scope profiles:read --confidential';
    const addon = await command('', ...words(`addon register --name ${name} ${addresses} ${rights}`));
    return { clientId: addon['client_id'] ?? '', clientSecret: addon['client_secret'] ?? '' };
  };
  const addons = [await register('Doors'), await register('Keys'), await register('Guests')] as const;
  return { organizationId, userId: created['user_id'] ?? '', addons };
};

const rounds = isExhaustive ? 2 : 1;

test.runIf(isSlow)(
  `OP-11: from ${before} to this version and back, one instance after the other under load, no request fails`,
  async ({ skip }) => {
    const missing = whyMissing(before);
    if (missing !== null) return skip(missing);
    const old = await buildVersion(before);
    onTestFinished(() => old.remove());
    const { start, proxy, settings, redirectUri } = await startScene(old);
    const lead = async (...places: readonly Place[]) => {
      const urls = places.map(({ url }) => url);
      proxy.lead(urls);
      await expect.poll(() => urls.map(proxy.isHealthy), { timeout: 60_000 }).toEqual(urls.map(() => true));
    };
    const stop = async ({ instance }: Place) => {
      const ended = once(instance.child, 'exit');
      instance.child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    };
    const olds = [await start('old'), await start('old')] as const;
    await lead(...olds);
    const { addons, ...cast } = await makeCast(old, settings, redirectUri);
    const callers: Callers = { url: proxy.url, redirectUri, ...person, ...cast };
    const clients: readonly Client[] = [
      await startRefreshing(callers, addons[0]),
      await startConnecting(callers, addons[1]),
      await startDeactivating(callers, addons[2]),
    ];
    const played = async () => {
      const began = clients.map((client) => client.rounds());
      const done = () =>
        clients.map(
          (client, index) => client.rounds() - (began[index] ?? 0) >= rounds || client.failures.length > 20,
        );
      await expect.poll(done, { timeout: 120_000 }).toEqual(clients.map(() => true));
    };
    await played();
    const young = await start('new');
    await lead(...olds, young);
    await lead(olds[1], young); // edcbc79 closes its port as soon as it is asked to end
    await stop(olds[0]);
    await played();
    await lead(young);
    await stop(olds[1]);
    await played();
    const back = await start('old');
    await lead(young, back);
    await played();
    await lead(back);
    await stop(young);
    await played();
    await Promise.all(clients.map((client) => client.stop()));
    expect(clients.flatMap(({ failures }) => failures)).toEqual([]);
  },
);
