import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { entities } from '../../src/administration/entities.ts';
import { fieldsOf } from '../../src/administration/fields.ts';
import { commandOf, isMaking, listAddressOf, placeOf, tasksOf } from '../../src/administration/places.ts';
import type { Entity, Json, Task } from '../../src/administration/task.ts';
import { positionText } from '../../src/audit/timeline/position-text.ts';
import { runBeside } from '../cli/live-service.ts';
import { makeAddon, run, settingsFor } from '../operations/running.ts';
import { valueOf } from '../support/outcomes.ts';
import { testBrowser, formsOf } from '../support/scenes/pages.ts';
import { startTestServers } from '../support/test-servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createPollStream } from '../support/scenes/told-addons.ts';

const password = 'correct horse battery staple';
const { stores } = await startTestServers();
const more = { BASE_URL: 'http://127.0.0.1:8080', DATA_DIR: temporaryFolder() };
const service = await run(stores, more);
afterAll(() => service.stop());
const { commands, store } = service.core;
await service.workers.ready;

let made = 0;
const emailOf = () => `user-${(made += 1)}@example.com`;
const newUser = async (roles: readonly ('operator' | 'auditor')[] = [], administratorOf: string[] = []) =>
  valueOf(await commands.createUser({ email: emailOf(), name: 'Ada', password, administratorOf, roles }))
    .userId;
const newOrganization = async () =>
  valueOf(await commands.createOrganization({ name: 'Quay' })).organizationId;
const newAddon = async () =>
  valueOf(
    await commands.registerAddon({
      name: 'Doors',
      redirectUris: ['https://addon.example/cb'],
      configurationUrl: 'https://addon.example/',
      allowedScopes: ['profiles:read', 'reservations:read'],
      confidential: true,
    }),
  ).clientId;

const email = emailOf();
const operator = valueOf(
  await commands.createUser({ email, name: 'Olive', password, administratorOf: [], roles: ['operator'] }),
).userId;
const { token } = valueOf(
  await commands.issueAdministratorToken({
    userId: operator,
    organizationId: null,
    name: 'everything',
    days: 1,
    by: operator,
  }),
);
const env = {
  PATH: process.env['PATH'],
  LOG_LEVEL: 'error',
  ...settingsFor(stores),
  ...more,
  GRANTBOOK_TOKEN: token,
};
const browser = testBrowser(service.app);
await browser.signIn(email, password);

/** What a task is done with: the id of the thing, and its fields. */
type Scene = { readonly id: string; readonly input: Json };
const about =
  (make: () => Promise<string>, input: (id: string) => Json | Promise<Json> = () => ({})) =>
  async (): Promise<Scene> => {
    const id = await make();
    return { id, input: await input(id) };
  };
const making = (input: () => Json | Promise<Json>) => async (): Promise<Scene> => ({
  id: '',
  input: await input(),
});
const organization = (input?: (id: string) => Json | Promise<Json>) => about(newOrganization, input);
const addon = (input?: (id: string) => Json | Promise<Json>) => about(newAddon, input);
const user = (input?: (id: string) => Json | Promise<Json>) => about(() => newUser(), input);
const stream = (input?: (id: string) => Json | Promise<Json>) =>
  about(async () => createPollStream({ commands }, await newAddon()), input);
const active = async (organizationId: string) => {
  const addonId = await newAddon();
  const who = { by: operator, sessionId: null, asOperator: true };
  valueOf(await commands.activateAddon({ organizationId, addonId, ...who }));
  return { addon: addonId };
};
const linked = async (userId: string) => {
  const issuer = 'https://id.example/realms/platform';
  valueOf(await commands.linkIdentity({ userId, provider: 'keycloak', issuer, subject: randomUUID() }));
  return { provider: 'keycloak' };
};

const newPublisher = async () => valueOf(await commands.createPublisher({ name: 'Doors Ltd' })).publisherId;
const proposed = async (addonId: string) => {
  const [publisherId, userId] = [await newPublisher(), await newUser()];
  valueOf(await commands.addPublisherMember({ publisherId, userId }));
  valueOf(await commands.updateAddon({ addonId, publisherId }));
  const request = { addonId, member: { userId, byClaim: true }, isFree: false };
  const website = 'https://doors.example/';
  const { changeId, revision } = valueOf(await commands.proposeAddonChange({ ...request, website })).change;
  return { change: changeId, revision };
};
const proposedAlone = async (addonId: string) => ({ change: (await proposed(addonId)).change });

/** One line for each task of the table; one without a line fails. Null: it needs what only a browser or a provider has. */
const scenes: Readonly<Record<string, (() => Promise<Scene>) | null>> = {
  'organization create': making(() => ({ name: 'Quay' })),
  'organization rename': organization(() => ({ name: 'Wharf' })),
  'organization set-external-id': organization(() => ({ external_id: `ext-${(made += 1)}` })),
  'organization show-to-publishers': organization(() => ({ shown_to_publishers: 'false' })),
  'organization add-administrator': organization(async () => ({ user: await newUser() })),
  'organization remove-administrator': organization(async (id) => {
    const [first, second] = [await newUser([], [id]), await newUser([], [id])];
    if (first === second) throw new Error('one user twice');
    return { user: second };
  }),
  'organization add-auditor': organization(async () => ({ user: await newUser(['auditor']) })),
  'organization remove-auditor': organization(async (organizationId) => {
    const userId = await newUser(['auditor']);
    valueOf(await commands.addAuditor({ organizationId, userId }));
    return { user: userId };
  }),
  'organization activate-addon': organization(async () => ({ addon: await newAddon() })),
  'organization deactivate-addon': organization(active),
  'organization show-activation': organization(active),
  'organization erase-profile': organization(async (organizationId) => {
    const record = {
      name: 'Ada',
      email: 'a@example.com',
      userId: null,
      phone: null,
      locale: null,
      externalId: null,
    };
    await commands.recordProfile({ organizationId, id: 'P1', version: 1, record });
    return { id: 'P1' };
  }),
  'organization close': organization(async (id) => {
    await active(id);
    return {};
  }),
  'user create': making(() => ({ email: emailOf(), name: 'Ada', password, operator: true })),
  'user invite': making(() => ({ email: emailOf(), name: 'Ada' })),
  'user rename': user(() => ({ name: 'Ada Lovelace' })),
  'user set-email': user(() => ({ email: emailOf() })),
  'user set-password': user(() => ({ password: 'another horse battery' })),
  'user reset-password': user(),
  'user grant-role': user(() => ({ role: 'auditor' })),
  'user remove-role': about(
    () => newUser(['auditor']),
    () => ({ role: 'auditor' }),
  ),
  'user link': null,
  'user unlink': user(linked),
  'user remove-passkey': null,
  'user end-sessions': user(),
  'user disable': user(),
  'user enable': user(async (userId) => {
    valueOf(await commands.disableUser({ userId, force: false }));
    return {};
  }),
  'user unlock': user(),
  'user create-token': about(
    () => newUser(['auditor']),
    () => ({ name: 'exports', days: 7 }),
  ),
  'user revoke-token': about(
    () => newUser(['auditor']),
    async (userId) => {
      const request = { userId, organizationId: null, name: 'exports', days: 7, by: operator };
      return { token: valueOf(await commands.issueAdministratorToken(request)).tokenId };
    },
  ),
  'user erase': user(),
  'addon register': making(() => ({
    name: `Gate ${(made += 1)}`,
    redirect_uri: ['https://addon.example/cb', 'https://addon.example/cb2'],
    scope: ['profiles:read'],
    confidential: true,
  })),
  'addon update': addon(() => ({
    publisher: 'Doors Ltd',
    verified: 'true',
    add_redirect_uri: ['https://addon.example/cb2'],
    scope: ['profiles:read'],
    apply_to_grants: true,
  })),
  'addon add-secret': addon(),
  'addon remove-secret': addon(async (id) => {
    const { secretId } = valueOf(await commands.addAddonSecret(id));
    return { secret: secretId };
  }),
  'addon approve-change': addon(proposed),
  'addon refuse-change': addon(proposedAlone),
  'addon show-change': addon(proposedAlone),
  'addon suspend': addon(),
  'addon resume': addon(async (id) => {
    valueOf(await commands.suspendAddon(id));
    return {};
  }),
  'addon retire': addon(),
  'publisher create': making(() => ({ name: 'Doors Ltd' })),
  'publisher rename': about(
    () => newPublisher(),
    () => ({ name: 'Gates' }),
  ),
  'grant revoke': about(async () => {
    const organizationId = await newOrganization();
    const userId = await newUser([], [organizationId]);
    const issued = await makeAddon(service.core, { organizationId, userId });
    return commands.verifyAccessToken(issued.token)?.grantId ?? '';
  }),
  'signals create': making(async () => ({ addon: await newAddon() })),
  'signals pause': stream(),
  'signals resume': stream(async (streamId) => {
    valueOf(
      await commands.setSignalStreamStatus({
        streamId,
        caller: 'operator',
        status: 'paused',
        reason: null,
        by: 'transmitter',
      }),
    );
    return {};
  }),
  'signals test': stream(),
  'signals replay': stream(async () => ({
    after: positionText((await store.head()) ?? { commit: 0n, prepare: 0n }),
  })),
  'signals delete': stream(),
  'expired-messages confirm': about(async () => {
    const place = { topic: 'host.profiles', partition: 0 };
    const from = BigInt((made += 10));
    await commands.noteExpired({ records: 'profiles', ...place, from, until: from + 5n });
    return 'profiles';
  }),
};

const every = entities.flatMap((entity) =>
  tasksOf(entity).map((task) => ({ entity, task, name: `${entity.name} ${task.name}` })),
);

type Done = { readonly id: string; readonly answer: Json | null };

/** Of the thing that a task made, where the answer does not have its id. */
const newestOf = async (entity: Entity): Promise<string> => {
  await service.settled();
  const { items } = await api('GET', `${listAddressOf(entity)}?limit=1000`);
  const ids = (items as readonly Json[]).map((item) => String(item[entity.idKey]));
  return ids.toSorted().at(-1) ?? '';
};

const api = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: Json) => {
  const answer = await service.app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(body && { payload: body }),
  });
  expect([url, answer.statusCode, answer.body]).toEqual([
    url,
    expect.toSatisfy((status: number) => status < 300),
    expect.anything(),
  ]);
  return answer.json<Json>();
};

const reason = 'because of the test';

const byApi = async (entity: Entity, task: Task, { id, input }: Scene): Promise<Done> => {
  if (task.isProperty)
    return { id, answer: await api('PATCH', `${listAddressOf(entity)}/${id}`, { ...input, reason }) };
  const place = placeOf(entity, task);
  const fields = Object.values(place.inAddress);
  const url = place.url.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const field = place.inAddress[name];
    return encodeURIComponent(field === undefined ? id : String(input[field]));
  });
  const body = Object.fromEntries(Object.entries(input).filter(([name]) => !fields.includes(name)));
  const answer = await api(place.method, url, task.isRead ? undefined : { ...body, reason });
  return { id: isMaking(entity, task) ? String(answer[entity.idKey]) : id, answer };
};

const byCommand = async (entity: Entity, task: Task, { id, input }: Scene): Promise<Done> => {
  const [idOption] = task.command?.idOptions ?? [];
  const options = Object.entries(input).flatMap(([name, value]) => {
    const field = fieldsOf(task.input).find((one) => one.name === name);
    const option = `--${name.replaceAll('_', '-')}`;
    if (field?.kind === 'secret' || name === task.argument) return [];
    return value === true ? [option] : [option, ...[value].flat().map(String)];
  });
  const ran = await runBeside(
    env,
    [
      ...commandOf(entity, task).split(' '),
      ...(isMaking(entity, task) ? [] : idOption === undefined ? [id] : [`--${idOption}`, id]),
      ...(task.argument === undefined ? [] : [String(input[task.argument])]),
      ...options,
      ...(task.isFinal || task.isConfirmed ? ['--yes'] : []),
      ...(task.isRead ? [] : ['--reason', reason]),
      '--json',
    ],
    'password' in input ? `${String(input['password'])}\n` : '',
  );
  expect([commandOf(entity, task), ran.exitCode, ran.stdout]).toEqual([
    commandOf(entity, task),
    0,
    expect.anything(),
  ]);
  return { id: isMaking(entity, task) ? String(ran.json[entity.idKey]) : id, answer: ran.json };
};

const byPage = async (entity: Entity, task: Task, { id, input }: Scene): Promise<Done> => {
  const isMade = isMaking(entity, task);
  const list = `/operator/${entity.plural}`;
  const place = isMade ? list : `${list}/${id}`;
  const page = `${place}/${task.name}`;
  const { of } = task;
  if (of && task.isRead) return { id, answer: null }; // its list shows it
  const item = of ? `?${of.field}=${String(input[of.field])}` : '';
  const link = new RegExp(`href="${page}(?:\\?field=\\w+)?${item.replace('?', '\\?')}"`);
  const from = of ? `${place}/${of.part}` : place;
  if (!task.isRead && !link.test((await browser.get(from)).body))
    throw new Error(`no link to ${task.name} on ${from}`);
  const { body } = await browser.get(`${page}${item}`);
  const form = formsOf(body).find(({ action }) => action === page);
  if (!form) throw new Error(`no form of ${task.name} on ${page}`);
  const known = new Set(fieldsOf(task.input).map(({ name }) => name));
  const ownOf = ({ fields }: typeof form) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !known.has(name) && name !== 'sure'));
  const typed = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      value === true ? 'on' : [value].flat().map(String).join('\n'),
    ]),
  );
  const sure = task.isFinal ? { sure: 'on' } : {};
  const send = (own: typeof form) =>
    browser.post(form.action, { ...ownOf(own), ...typed, ...sure, ...(!task.isRead && { reason }) });
  let answer = await send(form);
  // FX-85: who is to get a role is shown before.
  const asked = formsOf(answer.body).find(
    ({ action, fields }) => action === page && fields['to'] !== undefined,
  );
  if (asked && form.fields['to'] === undefined) answer = await send(asked);
  expect([form.action, answer.statusCode, answer.body.slice(0, 2000)]).toEqual([
    form.action,
    expect.toSatisfy((status: number) => status === 200 || status === 303),
    expect.anything(),
  ]);
  return { id: isMade ? await newestOf(entity) : id, answer: null };
};

/** Without what differs from run to run. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-7][0-9A-HJKMNP-TV-Z]{25}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/user-\d+@/g, 'user@')
      .replaceAll(/ext-\d+/g, 'ext')
      .replaceAll(/"\d+\/\d+"/g, '"POSITION"')
      .replaceAll(/mkt_(?:cs|admin|link)_[\w.-]+/g, 'SECRET')
      .replaceAll(/"made_with":(?:null|"ID")/g, '"made_with":"TOKEN, OR NONE ON A PAGE"')
      .replaceAll(/"revision":"[0-9a-f]{32}"/g, '"revision":"REVISION"')
      .replaceAll(/"waiting":\d+,"oldest_waiting_at":(?:null|"TIME")/g, '"waiting":"SOME"')
      .replaceAll(/Gate \d+/g, 'Gate'),
  );

/** What everybody sees of it afterwards: the thing, its lists, and the events of its stream with who did it and why. */
const seen = async (entity: Entity, task: Task, { id, input }: Scene) => {
  await service.settled();
  const shown = await service.app.inject({
    method: 'GET',
    url: `${listAddressOf(entity)}/${id}`,
    headers: { authorization: `Bearer ${token}` },
  });
  const parts = await Promise.all(
    (entity.parts ?? [])
      .filter(({ name }) => name !== 'addons')
      .map(async ({ name }) => (await api('GET', `${listAddressOf(entity)}/${id}/${name}`))['items']),
  );
  const { events } = await store.read(task.stream?.(id, input) ?? entity.stream(id));
  const last = events.findLast(({ metadata }) => metadata.reason !== undefined);
  return {
    shown: [shown.statusCode, plain(shown.json<Json>())],
    parts: plain(parts),
    // All have one stream of messages that expired.
    events: events.slice(entity.name === 'expired-messages' ? -2 : 0).map(({ event }) => event.type),
    by: last?.metadata.actor,
    why: last?.metadata.reason,
  };
};

test('AP-07: every task of the table has a line here', () => {
  expect(Object.keys(scenes).toSorted()).toEqual(every.map(({ name }) => name).toSorted());
});

const walked = every.filter(({ name }) => scenes[name] !== null);

test.each(walked)(
  'AP-07: $name does the same on the command line, over the API and on the page',
  async ({ entity, task, name }) => {
    const outcomes = [];
    for (const way of [byApi, byCommand, byPage]) {
      const scene = await scenes[name]?.();
      if (!scene) throw new Error(`no scene for ${name}`);
      await service.settled();
      const done = await way(entity, task, scene);
      const after = await seen(entity, task, { ...scene, id: done.id });
      outcomes.push({
        after: { ...after, shown: withoutInstance(after.shown) },
        answer: plain(done.answer) as Json | null,
      });
    }
    const [first, second, third] = outcomes;
    expect(second?.after).toEqual(first?.after);
    expect(third?.after).toEqual(first?.after);
    expect(first?.answer).toMatchObject(second?.answer ?? {});
    const silent =
      task.isRead === true ||
      ['end-sessions', 'test', 'unlock', 'erase-profile', 'revoke-token', 'create-token'].includes(task.name);
    const { by, why } = first?.after ?? {};
    expect(silent ? null : { by, why }).toEqual(silent ? null : { by: operator, why: reason });
  },
);

/** Each problem has an instance of its own. */
const withoutInstance = ([status, shown]: readonly unknown[]) => [
  status,
  { ...(shown as Json), instance: null },
];
