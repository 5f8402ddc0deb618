import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { composeService } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { askReadiness } from '../support/scenes/ask-readiness.ts';
import { freshDatabase } from '../support/servers/databases.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startHealthCheckingProxy } from '../support/servers/health-checking-proxy.ts';
import { endInstance, type Instance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { makeAddon, makeCast } from './running.ts';
import { startTestServers } from '../support/test-servers.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

type Place = { readonly instance: Instance; readonly url: string };
type Served = { readonly what: string; readonly answer: string };

/** Asks again and again over one connection that is kept alive, until it is asked to stop, and keeps what it was answered. */
const startClient = (what: string, ask: () => Promise<Response>) => {
  const served: Served[] = [];
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      const answer = await ask().then(
        async (response) => (await response.arrayBuffer(), String(response.status)),
        (error: unknown) => String((error as Error).cause ?? error),
      );
      served.push({ what, answer });
      await pause(10);
    }
  })();
  return { served, stop: () => ((isOver = true), work) };
};

const setScene = async () => {
  const { stores } = await startTestServers(onTestFinished, freshDatabase);
  const closers: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const proxy = await startHealthCheckingProxy();
  closers.push(() => proxy.close());
  const settings = {
    ...sharedSettings(stores),
    BASE_URL: proxy.url,
    TRUSTED_PROXIES: '127.0.0.1',
    SHUTDOWN_DELAY: '3', // many times what the proxy needs to notice
    ROTATIONS_PER_HOUR: '0',
  };
  const start = async (): Promise<Place> => {
    const port = await freePort();
    const instance = await readyInstance(spawnInstance({ ...settings, PORT: String(port) }));
    closers.push(() => endInstance(instance, 'SIGKILL'));
    return { instance, url: `http://127.0.0.1:${port}` };
  };
  const places: [Place, Place] = [await start(), await start()];
  const core = await composeService(readConfig(settings), stores, watchedLogger());
  closers.push(() => core.close());
  return { proxy, places, start, core };
};

/** Rotates, each time with the token that it was given last. */
const refreshing = (url: string, { addonId, refreshToken }: { addonId: string; refreshToken: string }) => {
  let token = refreshToken;
  return async (): Promise<Response> => {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: addonId,
    });
    const answer = await fetch(`${url}/oauth/token`, { method: 'POST', body });
    const { refresh_token: next } = (await answer.clone().json()) as { readonly refresh_token?: string };
    token = next ?? token;
    return answer;
  };
};

const roleOf = async ({ url }: Place) => (await askReadiness(url)).checks['projector'];

test('OP-03: four rolling restarts of two instances behind a proxy under load lose no request, each ends by itself with 0, and leadership moves', async () => {
  const { proxy, places, start, core } = await setScene();
  const urls = () => places.map(({ url }) => url);
  const allReady = async () => {
    await expect.poll(() => urls().map(proxy.isHealthy)).toEqual([true, true]);
  };
  proxy.lead(urls());
  await allReady();
  const cast = await makeCast(core);
  const addons = [
    await makeAddon(core, cast),
    await makeAddon(core, cast),
    await makeAddon(core, cast),
  ] as const;
  const list = () =>
    fetch(`${proxy.url}/profiles`, { headers: { authorization: `Bearer ${addons[2].token}` } });
  await expect.poll(async () => (await list()).status).toBe(200);

  const clients = [
    startClient('refresh', refreshing(proxy.url, addons[0])),
    startClient('refresh', refreshing(proxy.url, addons[1])),
    startClient('list', list),
    startClient('page', () => fetch(`${proxy.url}/sign-in`, { redirect: 'manual' })),
  ];
  for (const place of [0, 1, 0, 1] as const) {
    const [stopped, stays] = [places[place], places[place === 0 ? 1 : 0]];
    const ended = once(stopped.instance.child, 'exit');
    stopped.instance.child.kill('SIGTERM');
    await expect
      .poll(() => askReadiness(stopped.url), { interval: 20 })
      .toMatchObject({ status: 'stopping' });
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => roleOf(stays)).toBe('leading');
    await expect
      .poll(() => askReadiness(stays.url), { message: 'after the failover' })
      .toMatchObject({ status: 'ready' });
    places[place] = await start();
    proxy.lead(urls());
    await allReady();
  }
  await Promise.all(clients.map(({ stop }) => stop()));

  const served = clients.flatMap((client) => client.served);
  expect(served.filter(({ answer }) => answer !== '200')).toEqual([]);
  for (const { served: answers } of clients) expect(answers.length).toBeGreaterThan(20);
});
