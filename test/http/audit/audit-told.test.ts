import { afterAll, expect, test } from 'vitest';
import type { Timeline } from '../../../src/audit/timeline/timeline.ts';
import { inPoolTransaction } from '../../../src/common/transaction.ts';
import { endSets, queueSets } from '../../../src/signals/set-queue.ts';
import type { Queue } from '../../../src/signals/set-draft.ts';
import { standardTypes } from '../../../src/signals/set-types.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, createUser, obtainTokens, setScene, signedIn } from '../../support/scenes/http-scene.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { valueOf } from '../../support/outcomes.ts';
import { giveStream, queueTold } from '../../support/scenes/told-addons.ts';

/** What add-ons were told, in the timelines of auditors of one organization each. */

const store = memoryStore();
let timeline: Timeline;

const http = await startHttpApp({
  store,
  around: (needs) => {
    timeline = needs.timeline;
    return needs;
  },
});
const harbour = await setScene(http, { name: 'Door Sync' });
const elsewhere = await setScene(http, { name: 'Secret Sauna' });
const email = 'mia@harbour.example';
const mia = await createUser(http, email, [harbour.organizationId, elsewhere.organizationId]);
for (const scene of [harbour, elsewhere]) {
  await giveStream(http.pool, scene.clientId);
  await activate(http, scene);
  await obtainTokens(http, { ...scene, email }, { subject: `organization:${scene.organizationId}` });
}
const { clientId: addonId, organizationId } = harbour;
valueOf(await http.commands.deactivateAddon({ addonId, organizationId, by: mia }));
valueOf(await http.commands.disableUser(mia));
const audrey = { email: 'audrey@harbour.example' };
const auditorOf = [harbour.organizationId];
await createUser(http, audrey.email, [], { name: 'Audrey', roles: ['auditor'], auditorOf });
const auditor = await signedIn(http, audrey);
await http.settle();
await http.tellHistory();
await queueTold(http.database.url, store);
afterAll(() => http.close());

type Told = {
  readonly addon: { readonly id: string; readonly name: string };
  readonly event: string;
  readonly jti: string;
  readonly state: string;
};
type Entry = { readonly type: string; readonly told: readonly Told[] };
const read = async (query = ''): Promise<readonly Entry[]> => {
  const answer = await auditor.get(
    `/audit/organizations/${harbour.organizationId}/timeline?limit=100${query}`,
  );
  expect(answer.statusCode).toBe(200);
  return answer.json<{ entries: readonly Entry[] }>().entries;
};
const pageOf = async (query = '') =>
  (await auditor.get(`/audit?organization=${harbour.organizationId}${query}`)).body;
const told = (entries: readonly Entry[]) =>
  entries.flatMap(({ type, told }) =>
    told.map(({ addon, event }) => [type, addon.name, event.slice(event.lastIndexOf('/') + 1)]),
  );

const ofHarbour = [
  ['AddonActivated', 'Door Sync', 'addon-activated'],
  ['ScopesApproved', 'Door Sync', 'approval-changed'],
  ['AddonDeactivated', 'Door Sync', 'addon-deactivated'],
];

test('SG-12: an auditor reads what add-ons were notified of about the organization, in JSON and on the page', async () => {
  const entries = await read();
  expect(told(entries)).toEqual(ofHarbour);
  const [activation, approval] = entries.flatMap(({ told }) => told);
  const { clientId } = harbour;
  const now = Date.UTC(2026, 4, 3, 16, 20, 5);
  const endings = [
    { jti: activation?.jti ?? '', error: null },
    { jti: approval?.jti ?? '', error: 'invalid_audience: <b>not mine</b>' },
  ];
  for (const ending of endings)
    await inPoolTransaction(http.pool, (tx) => endSets(tx, `${clientId}_stream`, [ending], now));
  expect((await read()).flatMap(({ told }) => told.map(({ state }) => state))).toEqual([
    'acknowledged',
    'refused',
    'waiting',
  ]);
  const body = await pageOf();
  const to = `Message to <bdi>Door Sync</bdi> (${clientId}): `;
  const time =
    '<time datetime="2026-05-03T16:20:05.000Z" title="2026-05-03T16:20:05.000Z">3 May 2026 at 16:20:05</time>';
  for (const line of [
    `${to}addon-activated, acknowledged on ${time} <span class="soft">(jti <code>${activation?.jti}</code>)`,
    `${to}approval-changed, refused by the receiver on ${time}`,
    `${to}addon-deactivated, waiting <span`,
  ])
    expect(body).toContain(line);
  expect(body.match(/Message to/g)).toHaveLength(3);
  expect(body).not.toContain('not mine');
  expect(await pageOf('&type=OrganizationCreated')).not.toContain('Message to');
});

/** The filters name every add-on of the marketplace, and what was asked for. */
const entriesOf = (body: string): string => {
  const [entries] = /<ol class="events">[^]*<\/ol>|No events match these filters/.exec(body) ?? [];
  if (entries === undefined) throw new Error('the page shows no events, and does not say so');
  return entries;
};

/** As if an event of the harbour had told somebody else something, too. */
const forge = async (queue: Queue, part: number): Promise<void> => {
  const activation = store.all().find(({ event }) => event.type === 'AddonActivated');
  if (!activation) throw new Error('no activation');
  const draft = {
    addonId: elsewhere.clientId,
    queue,
    type: standardTypes.accountDisabled,
    jti: `forged.${part}`,
    txn: 'T',
    subId: { format: 'opaque', id: `${elsewhere.clientId}_stream` },
    payload: {},
    at: activation.created,
    position: activation.position,
    part,
  };
  await inPoolTransaction(http.pool, (tx) => queueSets(tx, [draft]));
};

test('SG-12: attack: an auditor of one organization never learns of an add-on that a user has in another one', async () => {
  const ofUser = await timeline.page({ about: { kind: 'user', id: mia }, limit: 100 });
  const toldOfMia = ofUser.entries.flatMap(({ type, told }) => told.map(({ addon }) => [type, addon.name]));
  for (const name of ['Door Sync', 'Secret Sauna'])
    expect(toldOfMia, 'an operator sees both').toContainEqual(['AccountDisabled', name]);

  const queues = [`user:${mia}`, `organization:${elsewhere.organizationId}`, 'addon', 'stream'] as const;
  for (const [index, queue] of queues.entries()) await forge(queue, index + 1);
  const { rows } = await http.pool.query("select 1 from signal_sets where jti like 'forged.%'");
  expect(rows).toHaveLength(queues.length);

  for (const query of [
    '',
    `&user=${mia}`,
    `&addon=${elsewhere.clientId}`,
    `&actor=${mia}`,
    '&type=AccountDisabled',
  ]) {
    const shown = [JSON.stringify(await read(query)), entriesOf(await pageOf(query))];
    for (const text of shown)
      for (const foreign of ['Secret Sauna', elsewhere.clientId, 'account-disabled', 'forged'])
        expect([query, foreign, text.includes(foreign)]).toEqual([query, foreign, false]);
  }
  expect(told(await read())).toEqual(ofHarbour);
});
