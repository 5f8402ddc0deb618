import { decodeJwt } from 'jose';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { composeService } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config.ts';
import { freshDatabase, serverOf, urlThrough } from '../support/databases.ts';
import { endInstance } from '../support/instance.ts';
import { startTestNode } from '../support/node.ts';
import { valueOf } from '../support/outcomes.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { startTwoInstances } from '../support/two-instances.ts';

const issuer = 'https://auth.example';
const account = { email: 'ada@example.com', password: 'correct horse battery staple' };
const organizations = 4;
/** Each: one instance is killed, the other loses its connections to the database or to the log. */
const rounds = 3;

type Answer = { readonly sets: Readonly<Record<string, string>> };
type Event = { readonly organization_id: string; readonly epoch: number };

test('SG-11: two instances are killed in turn, and lose database and log; a receiver dies in mid-answer: nothing is lost, order is kept, repeats have the same jti', async () => {
  const [node, database] = await Promise.all([startTestNode(), freshDatabase()]);
  const direct = { databaseUrl: database.url, eventStoreUrl: node.url };
  const [toDatabase, toLog] = await Promise.all([
    startTcpProxy(serverOf(database.url)),
    startTcpProxy(Number(new URL(node.url.replace('esdb:', 'http:')).port)),
  ]);
  onTestFinished(async () => {
    await Promise.all([toDatabase.close(), toLog.close()]);
    await Promise.all([node.close(), database.drop()]);
  });
  const through = { databaseUrl: urlThrough(toDatabase, database.url), eventStoreUrl: toLog.url };
  const two = await startTwoInstances([direct, through], { ISSUER: issuer });
  onTestFinished(two.stop);
  const core = await composeService(readConfig(two.settings), direct, pino({ level: 'silent' }));
  onTestFinished(() => core.close());
  const { commands } = core;

  const organizationIds: string[] = [];
  for (let place = 0; place < organizations; place += 1)
    organizationIds.push(valueOf(await commands.createOrganization({ name: `O${place}` })).organizationId);
  const user = { ...account, name: 'Ada', administratorOf: organizationIds, roles: [] };
  const { userId: by } = valueOf(await commands.createUser(user));
  const registration = {
    name: 'Told',
    redirectUris: ['https://addon.example/cb'],
    configurationUrl: 'https://addon.example/configure',
    allowedScopes: ['profiles:read'],
    confidential: true,
  } as const;
  const { clientId: addonId } = valueOf(await commands.registerAddon(registration));
  const [secret] = (await commands.listAddonSecrets(addonId)) ?? [];
  const issue = { addonId, secretId: secret?.secretId ?? '', scopes: ['ssf.read'] } as const;
  const { accessToken } = valueOf(await commands.issueAddonToken(issue));
  const uri = (name: string) => `${issuer}/signals/addon-${name}`;
  const made = await commands.createSignalStream({
    addonId,
    caller: 'addon',
    configuration: {
      method: 'poll',
      endpointUrl: null,
      authorization: null,
      eventsRequested: [uri('activated'), uri('deactivated')],
      description: null,
    },
  });
  const { streamId } = valueOf(made).stream;

  /** What was told, in the order in which it first came, and every `jti` of it. */
  const told = new Map<string, Set<string>>();
  const take = (set: string) => {
    const { jti = '', events } = decodeJwt<{ events: Readonly<Record<string, Event>> }>(set);
    for (const [type, { organization_id, epoch }] of Object.entries(events)) {
      const what = `${organization_id} ${epoch} ${type}`;
      told.set(what, (told.get(what) ?? new Set()).add(jti));
    }
  };
  let ack: readonly string[] = [];
  let turn = 0;
  const poll = async (): Promise<void> => {
    turn += 1;
    const instance = two.instances[turn % 2 === 0 ? 0 : 1];
    const dying = new AbortController();
    try {
      const answer = await fetch(`${instance.baseUrl}/ssf/poll/${streamId}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ack, returnImmediately: turn % 3 === 0 }),
        signal: AbortSignal.any([dying.signal, AbortSignal.timeout(2_000)]),
      });
      if (turn % 7 === 0) dying.abort(); // the receiver dies when the answer has begun
      if (!answer.ok) return await pause(50);
      const { sets } = (await answer.json()) as Answer;
      Object.values(sets).forEach(take);
      ack = Object.keys(sets);
    } catch {
      await pause(50); // the acknowledgements are sent again
    }
  };
  let isOver = false;
  const receiving = (async () => {
    while (!isOver) await poll();
  })();
  onTestFinished(() => void (isOver = true));

  const happened = new Map<string, string[]>(organizationIds.map((id) => [id, []]));
  const change = async (epoch: number) => {
    for (const organizationId of organizationIds) {
      valueOf(await commands.activateAddon({ organizationId, addonId, by, sessionId: null }));
      valueOf(await commands.deactivateAddon({ organizationId, addonId, by }));
      const list = happened.get(organizationId);
      for (const name of ['activated', 'deactivated']) list?.push(`${organizationId} ${epoch} ${uri(name)}`);
    }
  };
  const untilTold = async () => {
    const expected = [...happened.values()].flat().length;
    await expect.poll(() => told.size, { timeout: 60_000, interval: 50 }).toBe(expected);
  };

  await change(1);
  await untilTold();
  for (let round = 0; round < rounds; round += 1) {
    const place = round % 2 === 0 ? 0 : 1;
    const changing = change(round + 2);
    if (place === 0) (round % 4 === 0 ? toDatabase : toLog).cut();
    await endInstance(two.instances[place], 'SIGKILL');
    await changing;
    await two.restart(place);
    await untilTold();
  }
  isOver = true;
  await receiving;

  for (const [organizationId, events] of happened)
    expect([...told.keys()].filter((what) => what.startsWith(organizationId))).toEqual(events);
  const ids = [...told.values()].map((jtis) => [...jtis]);
  expect(
    ids.filter((jtis) => jtis.length !== 1),
    'one id each',
  ).toEqual([]);
  expect(new Set(ids.flat()).size).toBe(told.size);
  await expect
    .poll(async () => (await core.pool.query('select 1 from signal_sets where waiting')).rowCount, {
      timeout: 5_000,
    })
    .toBeLessThanOrEqual(organizations); // what was not acknowledged before the receiver ended
}, 240_000);
