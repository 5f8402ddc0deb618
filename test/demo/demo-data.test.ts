import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seedDemoData, seedReceiver } from '../../demo/demo-data.ts';
import { newDataDir } from '../lifecycle/processes.ts';
import { marketplace } from '../support/scenes/marketplace.ts';

const baseUrl = 'http://127.0.0.1:8080';

const scene = () => {
  const dataDir = newDataDir();
  mkdirSync(dataDir);
  let appendsLeft = Infinity;
  const kill = () => {
    if ((appendsLeft -= 1) < 0) throw new Error('killed');
  };
  const commands = marketplace({ beforeAppend: kill });
  const needs = { commands, dataDir, baseUrl };
  const seed = () => seedDemoData(needs);
  const count = (type: string) => commands.types().filter((each) => each === type).length;
  return {
    file: join(dataDir, 'demo.json'),
    needs,
    seed,
    count,
    commands,
    dieAfter: (appends: number) => (appendsLeft = appends),
  };
};

test('a second start finds everything, and does not activate again what was deactivated', async () => {
  const { seed, commands } = scene();
  const first = await seed();
  const { organizationId, clientId } = first;
  await commands.deactivateAddon({ organizationId, addonId: clientId, by: 'break-glass' });
  const events = commands.types().length;
  expect(await seed()).toEqual(first);
  expect(commands.types()).toHaveLength(events);
});

test('the add-on that gets signals is registered once for an address, and its secret is kept', async () => {
  const { seed, commands, count, needs } = scene();
  await seed();
  const receiver = await seedReceiver(needs);
  expect(await seedReceiver(needs)).toEqual(receiver);
  const { clientId } = await seed();
  expect(receiver.clientId).not.toBe(clientId);
  expect([
    count('AddonRegistered'),
    (await commands.findAddon(receiver.clientId))?.secretDigests.length,
  ]).toEqual([2, 1]);
});

test('FX-38: a start on another port adds no second add-on: the one that is there leads to both', async () => {
  const { seed, commands, count, needs } = scene();
  const { clientId, organizationId } = await seed();
  const receiver = await seedReceiver(needs);
  await commands.deactivateAddon({ organizationId, addonId: clientId, by: 'break-glass' });
  const elsewhere = { ...needs, baseUrl: 'http://127.0.0.1:9090' };
  for (let start = 0; start < 2; start += 1) {
    expect((await seedDemoData(elsewhere)).clientId).toBe(clientId);
    expect(await seedReceiver(elsewhere)).toEqual(receiver);
  }
  expect([count('AddonRegistered'), count('AddonActivated'), count('AddonUpdated')]).toEqual([2, 1, 2]);
  expect(await commands.findAddon(clientId)).toMatchObject({
    redirectUris: [
      `${baseUrl}/demo/callback`,
      'http://127.0.0.1/callback',
      'http://127.0.0.1:9090/demo/callback',
    ],
    configurationUrl: 'http://127.0.0.1:9090/demo',
  });
});

test.each([0, 1, 2, 3, 4, 5, 20, 60, 97, 101, 102, 103])(
  'a start that dies after %i appends is gone on with: one organization, one account, one active add-on',
  async (appends) => {
    const { seed, count, commands, dieAfter } = scene();
    dieAfter(appends);
    await seed().catch(() => undefined);
    dieAfter(Infinity);
    const { email, password, organizationId, clientId } = await seed();
    for (const type of ['OrganizationCreated', 'AccountCreated', 'AddonRegistered', 'AddonActivated'])
      expect([type, count(type)]).toEqual([type, 1]);
    expect(await commands.showActivation(organizationId, clientId)).toMatchObject({ status: 'active' });
    expect(await commands.signIn({ email, password, from: null })).toMatchObject({ ok: true });
  },
);

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['damaged', (file: string) => writeFileSync(file, '{"password":')],
  ['of another shape', (file: string) => writeFileSync(file, '{"addons":[]}')],
])('when its notes are %s, a demo of its own begins next to the one that is there', async (_how, spoil) => {
  const { seed, file, commands } = scene();
  const first = await seed();
  spoil(file);
  const spoilt = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const second = await seed();
  expect(second.email).not.toBe(first.email);
  expect(await commands.signIn(second)).toMatchObject({ ok: true });
  expect(await commands.signIn(first)).toMatchObject({ ok: true });
  expect(existsSync(`${file}.damaged`) ? readFileSync(`${file}.damaged`, 'utf8') : null).toBe(spoilt);
  expect(await seed()).toEqual(second);
});
