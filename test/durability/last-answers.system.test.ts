import { once } from 'node:events';
import { expect, test } from 'vitest';
import { signal } from '../../packages/eventstore-node/src/postgres/processes.ts';
import { processesOn } from '../lifecycle/processes.ts';
import { exchange } from './token-requests.ts';
import { oneProcess } from './victims.ts';
import { signIn } from './visitor.ts';
import { makeWorld } from './world.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';
import { serverKilled } from '../support/trouble/server-killed.ts';

allowTrouble(...serverKilled);

test('G-07: who is waiting when the embedded event store dies is asked to try again (503), before the service ends', async () => {
  const { world, running } = await makeWorld();
  const { baseUrl, child } = running.service;
  const visitor = await signIn(baseUrl, world);
  const answered = await exchange(baseUrl, await visitor.allow(world.steady));
  const refreshToken = answered.kind === 'tokens' ? answered.tokens.refreshToken : '';
  await running.beside.close();

  const node = oneProcess(world.dataDir, 'eventstore-node/dist/main.js');
  signal(node, 'SIGSTOP'); // from here on nobody gets an answer from it
  const parameters = { grant_type: 'refresh_token', client_id: world.steady, refresh_token: refreshToken };
  const waiting = fetch(`${baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(parameters) });
  await fetch(`${baseUrl}/health/live`); // sent later and answered: the other one is being worked on
  const ended = once(child, 'exit');
  signal(node, 'SIGKILL');

  const answer = await waiting;
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(await answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
  expect((await ended)[0]).toBe(1);
  expect(running.service.output()).toContain('the embedded event store has ended');
  expect(processesOn(world.dataDir)).toEqual([]);
  await world.close();
});
