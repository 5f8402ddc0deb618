import { afterAll, expect, test } from 'vitest';
import type { Member } from '../../packages/eventstore-node/src/faults.ts';
import { startFakeNode } from '../support/servers/fake-node.ts';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.ts';
import { startTestServers } from '../support/test-servers.ts';
import { makeAddon, makeCast, run } from './running.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';

allowTrouble(...serverKilled);

/** Two ways to one log stand for two nodes of a cluster; three more members only say who leads. */
const { node, database } = await startTestServers();
const [old, next] = await Promise.all([startTcpProxy(node.port), startTcpProxy(node.port)]);
/** The live leaders that every member lists, and how often they were asked. */
let leaders: readonly TcpProxy[] = [old];
let asked = 0;

const at = ({ port }: { readonly port: number }) => `127.0.0.1:${port}`;
const members = (): readonly Member[] => {
  asked += 1;
  const leading = leaders.map(at);
  return [...others, old, next].map(at).map((address) => ({ address, leads: leading.includes(address) }));
};
const others = await Promise.all([1, 2, 3].map(() => startFakeNode({ members })));
node.faults.gossip({ kind: 'members', members }, { times: Infinity });
const eventStoreUrl = `esdb://${others.map(at).join(',')}?tls=false`;
const service = await run({ databaseUrl: database.url, eventStoreUrl });
afterAll(async () => {
  await service.stop();
  await Promise.all([...others, old, next].map((each) => each.close()));
});
await service.workers.ready;

const readiness = async () => (await service.app.inject('/health/ready')).statusCode;
const often = { interval: 100 };

test('FX-42, FX-45: a frozen leader, its return and the death of the next one cost no grant, and the service is ready again', async () => {
  const { addonId, ...issued } = await makeAddon(service.core, await makeCast(service.core));
  let { refreshToken } = issued;
  const answers = new Set<number>();
  const refresh = async () => {
    const payload = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: addonId,
      refresh_token: refreshToken,
    });
    const answer = await service.app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: payload.toString(),
    });
    answers.add(answer.statusCode);
    if (answer.statusCode === 200)
      ({ refresh_token: refreshToken } = answer.json<{ refresh_token: string }>());
    return answer.statusCode;
  };
  const changes = () => service.lines.filter(({ msg }) => msg === 'event store: the leader has changed');
  await expect.poll(readiness, often).toBe(200);
  await expect.poll(refresh, often).toBe(200);

  leaders = [];
  old.freeze();
  const waiting = refresh();
  await expect.poll(readiness, often).toBe(503);
  leaders = [next];
  await waiting;
  await expect.poll(refresh, often).toBe(200);
  await expect.poll(readiness, often).toBe(200);

  const [changed, before] = [changes().length, asked];
  leaders = [old, next];
  old.thaw();
  await expect.poll(() => asked, often).toBeGreaterThan(before + 20); // by all, more than once
  await expect.poll(refresh, often).toBe(200);
  expect(changes()).toHaveLength(changed);

  leaders = [];
  await next.leave();
  await expect.poll(readiness, often).toBe(503);
  leaders = [old];
  await expect.poll(refresh, often).toBe(200);
  await expect.poll(readiness, often).toBe(200);
  expect([...answers].filter((status) => status !== 200 && status !== 503)).toEqual([]);
});
