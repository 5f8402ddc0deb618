import { describe, expect, test } from 'vitest';
import { entities } from '../../src/tasks/entities.ts';
import { fieldsOf } from '../../src/tasks/fields.ts';
import { patch, patchInput } from '../../src/tasks/patch.ts';
import { showNamed } from '../../src/tasks/find.ts';
import { perform } from '../../src/tasks/perform.ts';
import type { Entity, Json, Services } from '../../src/tasks/task.ts';
import { addonStream, organizationStream } from '../../src/domain/streams.ts';
import type { EventType } from '../../src/domain/events.ts';
import type { MemoryStoreHooks } from '../support/memory/memory-store.ts';
import { atAppend, crash } from '../support/memory/at-append.ts';
import { marketplace, valueOf } from '../support/scenes/marketplace.ts';

const context = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
const unknown = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const password = 'correct horse battery staple';
const callback = 'https://gate.example/cb';
const resource = 'https://lamps.example/';

/** One of each kind, on a log in memory. The read models are what the log has. */
const setStage = async (hooks: MemoryStoreHooks = {}) => {
  const market = marketplace(hooks);
  const { store } = market;
  const person = async (name: string, roles: readonly ('operator' | 'auditor')[] = []) => {
    const email = `${name}@example.com`;
    return valueOf(await market.createUser({ email, name, password, administratorOf: [], roles })).userId;
  };
  const register = async (name: string) =>
    valueOf(
      await market.registerAddon({
        name,
        redirectUris: [callback, `${callback}/2`],
        postLogoutRedirectUris: [callback],
        configurationUrl: callback,
        allowedScopes: ['profiles:read', 'reservations:read'],
        confidential: false,
      }),
    ).clientId;
  const [olive, ben, ada] = [
    await person('olive', ['operator']),
    await person('ben', ['auditor']),
    await person('ada'),
  ];
  const organization = async (name: string) =>
    valueOf(await market.createOrganization({ name })).organizationId;
  const [organizationId, other] = [await organization('Harbour'), await organization('Mill')];
  valueOf(await market.addAdministrator({ organizationId, userId: ada }));
  valueOf(await market.updateOrganization({ organizationId: other, externalId: 'taken' }));
  valueOf(await market.updateOrganization({ organizationId, externalId: 'harbour' }));
  const addonId = await register('Gate Keeper');
  valueOf(
    await market.updateAddon({ addonId, addAudiences: [{ audience: resource, resourceServerId: null }] }),
  );
  const { publisherId } = valueOf(await market.createPublisher({ name: 'Gates Ltd' }));
  const idsWith = (type: EventType, userId: string) =>
    store
      .all()
      .flatMap(({ stream, event }) =>
        event.type === type && 'userId' in event.data && event.data.userId === userId
          ? [stream.slice(stream.indexOf('-') + 1)]
          : [],
      );
  const readModels = {
    administratorOf: (userId: string) => Promise.resolve(idsWith('AdministratorAdded', userId)),
    publishersOf: (userId: string) => Promise.resolve(idsWith('PublisherMemberAdded', userId)),
    addonsActivatedFor: () => Promise.resolve([]),
    addonsOfPublisher: () => Promise.resolve([]),
    addonsOfPublishers: () => Promise.resolve([]),
    named: () => Promise.resolve([]),
    addons: async () => [await market.findAddon(addonId)],
  };
  const services = { commands: market, store, readModels, settle: () => Promise.resolve() };
  const ids = { organizationId, olive, ben, ada, addonId, publisherId };
  return { ...market, ...ids, register, person, services: services as unknown as Services };
};

type Stage = Awaited<ReturnType<typeof setStage>>;

/** A value that is accepted, and others that are refused: by the decision, where it refuses any. */
type Values = { readonly good: unknown; readonly refused: readonly unknown[] };

const hidden = 'Gate\u202E';
const uri = 'https://gate.example/more';
const notThere: readonly unknown[] = [['https://gate.example/not-there']];
const logo = (bytes: number) =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(bytes - 8)]).toString('base64');
const web: Values = { good: uri, refused: ['http://gate.example/', 'https://user@gate.example/'] };
/** What no value is refused of. */
const any = (good: unknown): Values => ({ good, refused: [] });

type OfEntity = { readonly id: string; readonly fields: Readonly<Record<string, Values>> };

const valuesOf = ({ organizationId, olive, ben, ada, addonId, publisherId }: Stage) => {
  const administrator = { role: 'administrator', organization_id: organizationId };
  const values: Readonly<Record<string, OfEntity>> = {
    organization: {
      id: organizationId,
      fields: {
        name: { good: 'Harbour West', refused: [hidden] },
        external_id: { good: 'west', refused: ['taken', 'we\u200Dst'] },
        shown_to_publishers: any(false),
        administrators: { good: [ada, ben], refused: [[unknown], [ada, unknown], []] },
        auditors: { good: [ben], refused: [[ada], [ben, unknown]] },
        force: any(false),
      },
    },
    user: {
      id: olive,
      fields: {
        name: { good: 'Olive King', refused: [hidden] },
        email: { good: 'king@example.com', refused: ['ben@example.com', 'no address'] },
        roles: {
          good: [{ role: 'operator' }, administrator],
          refused: [
            [],
            [administrator, { role: 'auditor' }],
            [{ role: 'operator' }, administrator, { role: 'administrator', organization_id: unknown }],
            [{ role: 'operator' }, administrator, { role: 'publisher', publisher_id: unknown }],
          ],
        },
        force: any(false),
      },
    },
    addon: {
      id: addonId,
      fields: {
        name: { good: 'Gate Warden', refused: [hidden] },
        add_redirect_uri: { good: [uri], refused: [['http://gate.example/'], [`${uri}#x`]] },
        remove_redirect_uri: { good: [`${callback}/2`], refused: notThere },
        redirect_uris: { good: [uri, callback, `${callback}/2`], refused: [[uri, uri]] },
        configuration_url: { good: uri, refused: ['http://gate.example/'] },
        scope: any(['profiles:read']),
        scopes: any(['profiles:read']),
        logo: { good: logo(100), refused: [logo(70_000), 'R0lGODlhAQ'] },
        publisher: { good: 'Gates and Doors', refused: [hidden] },
        publisher_id: { good: publisherId, refused: [unknown] },
        verified: any(true),
        website: web,
        privacy_url: web,
        support_url: web,
        add_post_logout_redirect_uri: { good: [uri], refused: [['http://gate.example/']] },
        remove_post_logout_redirect_uri: { good: [callback], refused: notThere },
        post_logout_redirect_uris: { good: [uri, callback], refused: [[uri, uri]] },
        add_audience: { good: ['https://bulbs.example/'], refused: [[`${resource}#x`]] },
        remove_audience: { good: [resource], refused: notThere },
        audiences: { good: [], refused: [[resource]] },
        allowed_audiences: { good: [resource], refused: [[`${resource}#x`]] },
        apply_to_grants: any(true),
        force: any(true),
      },
    },
    publisher: { id: publisherId, fields: { name: { good: 'Doors and Gates', refused: [hidden] } } },
  };
  return values;
};

const changeable = entities.filter((about) => patchInput(about) !== null);

/** `PATCH`, and each task that changes several properties at once, as the command line and pages do. */
const waysOf = (about: Entity) => [
  {
    way: `PATCH of one ${about.name}`,
    fields: Object.keys(patchInput(about)?.shape ?? {}),
    send: ({ services }: Stage, id: string, input: Json) =>
      patch(services, about, { id, input, isEmpty: false }, context),
  },
  ...about.tasks
    .filter(({ isProperty, input }) => isProperty && Object.keys(input.shape).length > 1)
    .map((task) => ({
      way: `${about.name} ${task.name}`,
      fields: Object.keys(task.input.shape),
      send: ({ services }: Stage, id: string, input: Json) =>
        perform(services, about, task, { id, input }, context),
    })),
];

const ways = changeable.flatMap((about) => waysOf(about).map((one) => [one.way, about, one] as const));

describe.each(ways)('FX-52: %s', (_way, about, { fields, send }) => {
  test('with one field that is refused changes nothing, whichever good one it is sent with', async () => {
    const stage = await setStage();
    const { id, fields: values } = valuesOf(stage)[about.name] ?? { id: '', fields: {} };
    expect(fields.filter((field) => !(field in values))).toEqual([]);
    const length = stage.types().length;
    const wrong: string[] = [];
    let pairs = 0;
    for (const field of fields)
      for (const value of values[field]?.refused ?? [])
        for (const other of fields) {
          const body = { [other]: values[other]?.good, [field]: value };
          const { ok } = await send(stage, id, body);
          pairs += 1;
          if (ok || stage.types().length !== length) wrong.push(JSON.stringify(body).slice(0, 200));
        }
    expect([wrong, pairs > 0]).toEqual([[], true]);
  });

  test('takes each good value', async () => {
    for (const field of fields) {
      const stage = await setStage();
      const { id, fields: values } = valuesOf(stage)[about.name] ?? { id: '', fields: {} };
      const done = await send(stage, id, { [field]: values[field]?.good });
      expect([field, done]).toEqual([field, expect.objectContaining({ ok: true })]);
    }
  });
});

describe('FX-52: what happens between the claim and the append', () => {
  const updated = async (hooks: MemoryStoreHooks) => {
    const stage = await setStage(hooks);
    const { organizationId, services } = stage;
    const about = entities.find(({ name }) => name === 'organization') as Entity;
    const send = (input: Json, shownAt?: readonly bigint[]) =>
      patch(
        services,
        about,
        { id: organizationId, input, isEmpty: false, ...(shownAt !== undefined && { shownAt }) },
        context,
      );
    return { ...stage, about, send, show: () => about.show(services, organizationId) };
  };

  test('a change by somebody else refuses it with If-Match, and the claim is released', async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'ExternalIdClaimed');
    const { send, show, store, organizationId, updateOrganization, organizationOf } = await updated(hooks);
    const { revision } = await store.read(organizationStream(organizationId));
    arm(() => updateOrganization({ organizationId, shown: false }));
    const refused = await send({ name: 'Wharf', external_id: 'free' }, [revision as bigint]);
    expect(refused).toMatchObject({ ok: false, refusal: 'changed-meanwhile' });
    expect(await show()).toMatchObject({ name: 'Harbour', external_id: 'harbour' });
    expect(await organizationOf('free')).toBeNull();
  });

  test('who records the claim first has it, and of the other change nothing stays', async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'OrganizationRenamed');
    const { send, show, createOrganization, updateOrganization, organizationOf } = await updated(hooks);
    const { organizationId: other } = valueOf(await createOrganization({ name: 'Other' }));
    arm(async () => valueOf(await updateOrganization({ organizationId: other, externalId: 'free' })));
    expect(await send({ name: 'Wharf', external_id: 'free' })).toMatchObject({
      refusal: 'external-id-taken',
    });
    expect(await show()).toMatchObject({ name: 'Harbour', external_id: 'harbour' });
    expect([await organizationOf('free'), (await organizationOf('harbour')) !== null]).toEqual([other, true]);
  });

  test('a kill leaves no claim that anybody has to respect, and a repeat completes the change', async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'OrganizationRenamed');
    const { send, show, createOrganization, updateOrganization } = await updated(hooks);
    const { organizationId: other } = valueOf(await createOrganization({ name: 'Other' }));
    arm(crash);
    await expect(send({ name: 'Wharf', external_id: 'free' })).rejects.toThrow('crashed');
    expect(await show()).toMatchObject({ name: 'Harbour', external_id: 'harbour' });
    expect(await send({ name: 'Wharf', external_id: 'free' })).toMatchObject({
      ok: true,
      json: { name: 'Wharf' },
    });
    arm(crash);
    await expect(send({ name: 'Quay', external_id: 'next' })).rejects.toThrow('crashed');
    expect(await updateOrganization({ organizationId: other, externalId: 'next' })).toMatchObject({
      ok: true,
    });
  });

  test('roles in several streams are taken back where the account refuses at last', async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'AdministratorAdded');
    const stage = await setStage(hooks);
    const { services, olive, ben, organizationId, grantRole, disableUser } = stage;
    const about = entities.find(({ name }) => name === 'user') as Entity;
    valueOf(await grantRole({ userId: ben, role: 'operator' }));
    arm(async () => valueOf(await disableUser({ userId: ben, force: false })));
    const roles = [{ role: 'administrator', organization_id: organizationId }];
    const refused = await patch(
      services,
      about,
      { id: olive, input: { name: 'O', roles }, isEmpty: false },
      context,
    );
    expect(refused).toMatchObject({ ok: false, refusal: 'last-operator' });
    expect(await about.show(services, olive)).toMatchObject({ name: 'olive', roles: [{ role: 'operator' }] });
  });
});

test('FX-52: all that changes an add-on is one append', async () => {
  const appends: string[] = [];
  const stage = await setStage({ beforeAppend: (stream) => void appends.push(stream) });
  const about = entities.find(({ name }) => name === 'addon') as Entity;
  appends.length = 0;
  const input = { name: 'Gate Warden', publisher_id: stage.publisherId, verified: true, website: uri };
  const done = await patch(stage.services, about, { id: stage.addonId, input, isEmpty: false }, context);
  expect(done).toMatchObject({ ok: true, json: { ...input, publisher: 'Gates Ltd' } });
  expect(appends).toEqual([addonStream(stage.addonId)]);
});

test('FX-51: the revision that an answer comes with is never newer than what it shows', async () => {
  const { services, organizationId, updateOrganization, store } = await setStage();
  const about = entities.find(({ name }) => name === 'organization') as Entity;
  let changes = 0;
  let shownAt: unknown;
  /** Somebody else changes it as soon as it was read. */
  const meanwhile: Entity = {
    ...about,
    show: async (...asked) => {
      const shown = await about.show(...asked);
      ({ revision: shownAt } = await store.read(organizationStream(organizationId)));
      await updateOrganization({ organizationId, name: `Wharf ${(changes += 1)}` });
      return shown;
    },
  };
  const found = await showNamed(services, meanwhile, organizationId);
  expect(found).toMatchObject({ ok: true, value: { revision: shownAt } });
  const patched = { id: organizationId, input: { name: 'Quay' }, isEmpty: false };
  expect(await patch(services, meanwhile, patched, context)).toMatchObject({ ok: true, revision: shownAt });
  const rename = about.tasks.find(({ name }) => name === 'rename');
  if (!rename) throw new Error('no task renames');
  const asked = { id: organizationId, input: { name: 'Pier' } };
  expect(await perform(services, meanwhile, rename, asked, context)).toMatchObject({ revision: shownAt });
  expect(changes).toBe(3);
});

test('FX-79: what is not there is refused with a sentence, by whatever task', async () => {
  const { services } = await setStage();
  const told = new Map<string, string>();
  for (const about of entities)
    for (const task of about.tasks) {
      const input = Object.fromEntries(
        fieldsOf(task.input).map(({ name, kind, values: [first = unknown] }) => [
          name,
          kind === 'flag' ? true : kind === 'several' ? [first] : first,
        ]),
      );
      // Some ask for what is not in memory.
      const outcome = await task.run(services, unknown, input, context).catch(() => null);
      if (outcome?.ok === false) told.set(`${about.name} ${task.name}: ${outcome.refusal}`, outcome.message);
    }
  expect(told.size).toBeGreaterThan(30);
  expect([...told].filter(([, message]) => !/^\S+ \S+ \S+/.test(message))).toEqual([]);
});
