import { describe, expect, test } from 'vitest';
import { byOperator } from '../../../src/commands/kernel/by-operator.ts';
import { handle, load, unseen } from '../../../src/commands/kernel/handle.ts';
import {
  addAdministrator,
  createOrganization,
  organizationDecider,
} from '../../../src/domain/organizations/organization.ts';
import { accept, refuse } from '../../../src/domain/kernel/decision.ts';
import { organizationStream } from '../../../src/domain/streams.ts';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';

const stream = organizationStream('org');
const create = createOrganization.bind(
  null,
  { status: 'unknown' },
  { organizationId: 'org', name: 'Org', now: 1 },
);
const adding = (userId: string) => (organization: Parameters<typeof addAdministrator>[0]) =>
  addAdministrator(organization, { userId, now: 2 });

const context = undefined;

const storeWithOrganization = async (hooks: Parameters<typeof memoryStore>[0] = {}) => {
  const store = memoryStore(hooks);
  await handle(store, stream, organizationDecider, create, { context });
  return store;
};

describe('handling a command', () => {
  test('appends what was decided at the revision that was folded, and answers the state after it', async () => {
    const store = await storeWithOrganization();
    const handled = await handle(store, stream, organizationDecider, adding('ada'), { context });
    expect(handled).toMatchObject({
      before: { administrators: [] },
      state: { administrators: ['ada'] },
      revision: 1n,
      refusal: undefined,
    });
    expect(handled.position).toEqual(await store.head());
    expect((await load(store, stream, organizationDecider)).state).toEqual(handled.state);
  });

  test('AM-15: its events name the operator who called, and why; another actor stays', async () => {
    const store = await storeWithOrganization();
    const by = { traceparent: '00-1-1-01', acting: { actor: 'grace', tokenId: 'token' }, reason: 'moved' };
    await handle(store, stream, organizationDecider, adding('ada'), { context: by, ...byOperator() });
    const own = { metadata: { actor: 'bob' } };
    await handle(store, stream, organizationDecider, adding('bob'), { context: by, ...own });
    expect(store.all().map(({ metadata }) => metadata)).toEqual([
      {},
      { traceparent: '00-1-1-01', actor: 'grace', tokenId: 'token', reason: 'moved' },
      { traceparent: '00-1-1-01', actor: 'bob', reason: 'moved' },
    ]);
  });

  test('appends nothing when nothing was decided, and still tells where the stream stands', async () => {
    const store = await storeWithOrganization();
    await handle(store, stream, organizationDecider, adding('ada'), { context });
    const handled = await handle(store, stream, organizationDecider, adding('ada'), { context });
    expect(handled).toMatchObject({ events: [], revision: 1n, position: await store.head() });
    expect(store.all()).toHaveLength(2);
  });

  test('remembers the events of a refusal', async () => {
    const store = await storeWithOrganization();
    const handled = await handle(
      store,
      stream,
      organizationDecider,
      () =>
        refuse('not-like-this', {
          type: 'AdministratorAdded',
          data: { userId: 'ada', source: null, at: 3 },
        } as const),
      { context },
    );
    expect(handled).toMatchObject({ refusal: 'not-like-this', state: { administrators: ['ada'] } });
    expect(store.all()).toHaveLength(2);
  });

  test('decides again on what a rival has written meanwhile', async () => {
    let rivals = 3;
    const store = await storeWithOrganization({
      beforeAppend: async (_stream, events) => {
        if (events[0]?.event.type !== 'AdministratorAdded' || rivals === 0) return;
        rivals -= 1;
        await handle(store, stream, organizationDecider, adding(`rival${rivals}`), { context });
      },
    });
    const { state } = await handle(store, stream, organizationDecider, adding('ada'), { context });
    expect(state).toMatchObject({ administrators: ['rival0', 'rival1', 'rival2', 'ada'] });
  });

  test('fifty at once all get through, each exactly once', async () => {
    const store = await storeWithOrganization();
    const users = Array.from({ length: 12 }, (_, index) => `user${index}`);
    await Promise.all(
      [...users, ...users, ...users, ...users].map((user) =>
        handle(store, stream, organizationDecider, adding(user), { context }),
      ),
    );
    const { state } = await load(store, stream, organizationDecider);
    expect(state.status === 'created' && [...state.administrators].sort()).toEqual([...users].sort());
    expect(store.all()).toHaveLength(1 + users.length);
  });

  test('gives up as unavailable when the stream changes under every attempt', async () => {
    let rival = 0;
    let inside = false;
    const store = await storeWithOrganization({
      beforeAppend: async (_stream, events) => {
        if (inside || events[0]?.event.type !== 'AdministratorAdded') return;
        inside = true;
        rival += 1;
        await handle(store, stream, organizationDecider, adding(`rival${rival}`), { context });
        inside = false;
      },
    });
    const attempt = handle(store, stream, organizationDecider, adding('ada'), { context });
    await expect(attempt).rejects.toBeInstanceOf(EventStoreUnavailable);
    expect(rival).toBe(16);
  });

  test('gives the events the ids and the metadata that were asked for, and the trace of the call', async () => {
    const store = memoryStore();
    const id = '00000000-0000-4000-8000-000000000001';
    await handle(store, stream, organizationDecider, create, {
      context: { traceparent: 'the trace' },
      eventId: () => id,
      metadata: { actor: 'break-glass' },
    });
    expect(store.all()).toMatchObject([{ id, metadata: { traceparent: 'the trace', actor: 'break-glass' } }]);
  });
});

describe('a state that is assumed', () => {
  test('saves the read when it holds', async () => {
    let reads = 0;
    const store = memoryStore({ beforeRead: () => void (reads += 1) });
    const options = { context, assume: unseen(organizationDecider) };
    const { revision } = await handle(store, stream, organizationDecider, create, options);
    expect({ reads, revision }).toEqual({ reads: 0, revision: 0n });
  });

  test('is given up when the append says otherwise', async () => {
    const store = await storeWithOrganization();
    const decideOn: unknown[] = [];
    const handled = await handle(
      store,
      stream,
      organizationDecider,
      (organization) => {
        decideOn.push(organization.status);
        return organization.status === 'unknown' ? create() : adding('ada')(organization);
      },
      { context, assume: unseen(organizationDecider) },
    );
    expect(decideOn).toEqual(['unknown', 'created']);
    expect(handled.state).toMatchObject({ administrators: ['ada'] });
  });

  test('never decides alone that there is nothing to do', async () => {
    const store = await storeWithOrganization();
    const { refusal, state } = await handle(
      store,
      stream,
      organizationDecider,
      (organization) => (organization.status === 'unknown' ? refuse('unknown') : accept()),
      { context, assume: unseen(organizationDecider) },
    );
    expect({ refusal, status: state.status }).toEqual({ refusal: undefined, status: 'created' });
  });
});
