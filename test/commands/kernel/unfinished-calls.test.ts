import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { makeUpdateOrganization } from '../../../src/commands/organizations/update-organization.ts';
import { makeUpdateUser, type UpdateUser } from '../../../src/commands/people/accounts/update-user.ts';
import {
  completedIfKilled,
  completeUnfinished,
  type UnfinishedCall,
  type UnfinishedCalls,
} from '../../../src/commands/kernel/unfinished-calls.ts';
import { type EventStore, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { accountNow, organizationNow } from '../../../src/eventstore/state-of.ts';
import { makeUnfinishedCalls } from '../../../src/projections/working-state/unfinished-calls-table.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { newUser } from '../../support/registering.ts';

const password = 'correct horse';
const context = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  acting: { actor: 'break-glass', tokenId: null },
  reason: 'a new colleague',
};

const other = { ...context, traceparent: context.traceparent.replace('0af', '1af') };

const prepare = async () => {
  const market = marketplace();
  const userId = await newUser(market, { email: 'a@example.com', password });
  const organization = async (name: string) =>
    valueOf(await market.createOrganization({ name })).organizationId;
  const [mill, harbour] = [await organization('Mill'), await organization('Harbour')];
  const { publisherId } = valueOf(await market.createPublisher({ name: 'Doors' }));
  const request: UpdateUser = {
    userId,
    name: 'Ada L.',
    email: 'ada@example.com',
    give: [
      { role: 'administrator', organizationId: mill },
      { role: 'administrator', organizationId: harbour },
      { role: 'publisher', publisherId },
      { role: 'operator' },
    ],
  };
  const change = (changed: Omit<UpdateUser, 'userId'>) => market.updateUser({ userId, ...changed }, other);
  return { market, request, mill, change };
};

/** Those that have begun and not ended. */
const notes = () => {
  const open = new Map<symbol, UnfinishedCall>();
  const unfinished: UnfinishedCalls = {
    begin: (call) => {
      const id = Symbol();
      open.set(id, call);
      return Promise.resolve(() => Promise.resolve(void open.delete(id)));
    },
  };
  const takeOld = () =>
    Promise.resolve(
      [...open].map(([id, call]) => ({ ...call, end: () => Promise.resolve(void open.delete(id)) })),
    );
  return { unfinished, takeOld, open };
};

/** What a log says, without ids and times. */
const said = (store: ReturnType<typeof memoryStore>) =>
  store
    .all()
    .map(({ stream, event, metadata }) =>
      JSON.stringify([stream, event.type, metadata]).replaceAll(/"\$?(causation|correlation)[^,]*/g, ''),
    )
    .toSorted();

test('FX-52: wherever a change of several streams is killed, another process completes it, as who had asked for it', async () => {
  const { market, request } = await prepare();
  const before = [...market.store.all()];
  const on = (store: EventStore, unfinished: UnfinishedCalls) =>
    makeUpdateUser({ ...market, store, unfinished });
  const whole = memoryStore({}, before);
  const appends = { count: 0 };
  const counting: EventStore = {
    ...whole,
    append: (...given) => ((appends.count += 1), whole.append(...given)),
  };
  const undisturbed = notes();
  valueOf(await on(counting, undisturbed.unfinished)(request, context));
  expect([undisturbed.open.size, appends.count]).toEqual([0, expect.any(Number)]);
  expect(appends.count).toBeGreaterThan(4);

  for (let killedAt = 0; killedAt < appends.count; killedAt += 1)
    for (const isStored of [false, true]) {
      const [store, { unfinished, takeOld, open }] = [memoryStore({}, before), notes()];
      let [left, reached] = [killedAt, () => {}];
      const isReached = new Promise<void>((resolve) => (reached = resolve));
      const dying: EventStore = {
        ...store,
        async append(...given) {
          if (left > 0) {
            left -= 1;
            return store.append(...given);
          }
          if (isStored) await store.append(...given);
          reached();
          return new Promise(() => {});
        },
      };
      void on(dying, unfinished)(request, context);
      await isReached;
      const noted = { ...context, since: expect.any(Object) as object };
      expect([...open.values()]).toEqual([{ command: 'updateUser', request, context: noted }]);
      expect(await completeUnfinished(takeOld, { updateUser: on(store, unfinished) })).toEqual(done);
      expect([open.size, said(store)]).toEqual([0, said(whole)]);
    }
});

const done = { completed: 1, overtaken: 0, failures: [] };

test('FX-52: a call that fails keeps none of the others from being completed, and is noted once', async () => {
  const { market, request } = await prepare();
  const { unfinished, takeOld, open } = notes();
  const failing = () => Promise.reject(new Error('the store is away'));
  const failsAgain = completedIfKilled(unfinished, 'failsAgain', failing);
  await expect(failsAgain(request, context)).rejects.toThrow('away');
  await unfinished.begin({ command: 'ofAnotherVersion', request, context: null });
  await unfinished.begin({ command: 'updateUser', request, context });
  const commands = { failsAgain, updateUser: makeUpdateUser({ ...market, unfinished }) };
  const { failures, ...others } = await completeUnfinished(takeOld, commands);
  expect([others, failures.length]).toEqual([{ completed: 1, overtaken: 0 }, 2]);
  expect([...open.values()].map(({ command }) => command)).toEqual(['failsAgain', 'ofAnotherVersion']);
});

/** A call that could append nothing after the administrators of two organizations; then what somebody does, and its completion. */
const afterBreakingOff = async (
  changeSince: (of: Awaited<ReturnType<typeof prepare>>) => Promise<{ readonly ok: boolean }>,
) => {
  const prepared = await prepare();
  const { market, request, mill } = prepared;
  const { store } = market;
  const { unfinished, takeOld, open } = notes();
  let left = 3; // the address, two organizations
  const append: EventStore['append'] = (...given) =>
    left-- > 0 ? store.append(...given) : Promise.reject(new EventStoreUnavailable('away'));
  const breaking = makeUpdateUser({ ...market, store: { ...store, append }, unfinished });
  await expect(breaking(request, context)).rejects.toThrow('away');
  expect(await changeSince(prepared)).toMatchObject({ ok: true });
  const now = async () => [await accountNow(store, request.userId), await organizationNow(store, mill)];
  const before = await now();
  const updateUser = makeUpdateUser({ ...market, unfinished });
  const completed = await completeUnfinished(takeOld, { updateUser });
  expect(open.size).toBe(0);
  return { ...prepared, completed, before, after: await now() };
};

test.each<readonly [string, Parameters<typeof afterBreakingOff>[0]]>([
  ['another name', (of) => of.change({ name: 'Ada B.' })],
  [
    'a right that was taken',
    (of) => of.change({ take: [{ role: 'administrator', organizationId: of.mill }], force: true }),
  ],
])('FX-52: a call that broke off undoes nothing that somebody changed since: %s', async (_what, change) => {
  const { market, completed, before, after } = await afterBreakingOff(change);
  expect(completed).toEqual({ completed: 0, overtaken: 1, failures: [] });
  expect(after).toEqual(before);
  const eve = { name: 'Eve', email: 'ada@example.com', password, administratorOf: [], roles: [] };
  valueOf(await market.createUser(eve)); // the address is free again
});

test('FX-52: it is completed where only what it has done already was changed otherwise', async () => {
  const { request, completed, after } = await afterBreakingOff(({ market, mill }) =>
    market.updateOrganization({ organizationId: mill, name: 'Mill 2' }, other),
  );
  expect(completed).toEqual(done);
  const { userId, name, email } = request;
  expect(after).toMatchObject([
    { name, email },
    { name: 'Mill 2', administrators: [userId] },
  ]);
});

test('FX-52: what one stream holds is not noted, and neither is what is refused', async () => {
  const { market, request, mill } = await prepare();
  const { unfinished, open } = notes();
  let begun = 0;
  const counted: UnfinishedCalls = { begin: (call) => ((begun += 1), unfinished.begin(call)) };
  const update = makeUpdateUser({ ...market, unfinished: counted });
  valueOf(await update({ userId: request.userId, name: 'Ada B.' }));
  valueOf(await update({ userId: request.userId, give: [{ role: 'administrator', organizationId: mill }] }));
  expect(await update({ ...request, give: [{ role: 'publisher', publisherId: 'none' }] })).toMatchObject({
    ok: false,
  });
  expect(begun).toBe(0);
  const rename = makeUpdateOrganization({ ...market, unfinished: counted });
  valueOf(await rename({ organizationId: mill, externalId: 'm-1' }));
  expect([begun, open.size]).toEqual([1, 0]);
});

test('FX-52: the table gives a call to one process, once it is old, and again when that one is killed, too', async () => {
  const database = await migratedDatabase();
  const pool = new Pool({ connectionString: database.url });
  onTestFinished(async () => {
    await pool.end();
    await database.drop();
  });
  const table = makeUnfinishedCalls({ pool });
  const call = { command: 'updateUser', request: { userId: 'U1' }, context };
  await table.begin({ ...call, context: null });
  const end = await table.begin(call);
  expect(await table.takeOld()).toEqual([]);
  const age = () => pool.query(`update unfinished_calls set begun_at = begun_at - interval '31 s'`);
  await age();
  await end();
  const taken = await table.takeOld();
  expect(taken).toEqual([{ ...call, context: null, end: expect.any(Function) as unknown }]);
  expect(await table.takeOld()).toEqual([]);
  await age();
  const [again] = await table.takeOld();
  await again?.end();
  await age();
  expect(await table.takeOld()).toEqual([]);
});
