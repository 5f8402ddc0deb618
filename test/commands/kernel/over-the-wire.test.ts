import { Pool } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import type { Lifetimes } from '../../../src/commands/kernel/dependencies.ts';
import { connectEventStore } from '../../../src/eventstore/client/esdb.ts';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { makeFence } from '../../../src/projections/fence/fence.ts';
import { makePipelinedReader } from '../../../src/projections/database/pipelined-reader.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { issuanceOver } from '../../support/memory/issuance.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testEventStore } from '../../support/servers/test-event-store.ts';

const [database, store] = await Promise.all([migratedDatabase(), testEventStore()]);
const pool = new Pool({ connectionString: database.url });
const reader = makePipelinedReader({ databaseUrl: database.url, logger: quietLogger() });

afterAll(async () => {
  await reader.close();
  await pool.end();
  await store.close();
  await database.drop();
});

/** The commands over the real client, the embedded node and Postgres; each with an add-on of its own. */
const issuance = async (lifetimes: Partial<Lifetimes> = {}) => {
  const over = issuanceOver({ store, fence: makeFence({ pool, reader }), lifetimes });
  await over.prepare();
  valueOf(await over.activate());
  const eventsOf = async (code: string) => {
    const grantId = over.grantIdOf(code);
    return (await store.read(`grant-${grantId}`)).events.map(({ event }) => event.type);
  };
  return { ...over, eventsOf };
};

const times = (count: number) => Array.from({ length: count });

describe('over the real wire', () => {
  test('TC-09: of fifty exchanges at once, on two instances, one succeeds and one event is written', async () => {
    const { issue, exchange, instance, commands, eventsOf, refresh } = await issuance();
    const code = await issue();
    const instances = [commands, instance()];
    const outcomes = await Promise.all(times(50).map((_, index) => exchange(code, {}, instances[index % 2])));
    const [winner, ...others] = outcomes.filter((outcome) => outcome.ok);
    expect(others).toEqual([]);
    expect(await eventsOf(code)).toEqual(['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed']);
    expect(refusalOf(await refresh(winner?.value.refreshToken ?? ''))).toBeUndefined();
  });

  test('P1, P2: of exchanges and refreshes that race a deactivation, none works after its answer', async () => {
    const { issue, exchange, newPair, refresh, deactivate } = await issuance();
    const codes = await Promise.all(times(10).map(() => issue()));
    const before = await Promise.all(times(10).map(() => newPair()));
    const racing = Promise.all([
      ...codes.map((code) => exchange(code)),
      ...before.map(({ refreshToken }) => refresh(refreshToken)),
    ]);
    valueOf(await deactivate());
    const pairs = (await racing).flatMap((outcome) => (outcome.ok ? [outcome.value] : []));
    const later = [...before, ...pairs].map(({ refreshToken }) => refresh(refreshToken));
    expect((await Promise.all(later)).filter(({ ok }) => ok)).toEqual([]);
    expect((await Promise.all(codes.map((code) => exchange(code)))).filter(({ ok }) => ok)).toEqual([]);
  });

  test.each(['a process that has seen nothing', 'the process that wrote it'])(
    'FX-42: while the node answers from an earlier state, nothing valid is refused and no grant is lost: %s',
    async (who) => {
      const [world, ending] = [await issuance(), await issuance()];
      const past = (await store.head())?.commit ?? 0n;
      const [first, second, third] = await Promise.all(times(3).map(() => world.newPair()));
      const code = await world.issue();
      const { refreshToken } = valueOf(await world.refresh(first?.refreshToken ?? ''));
      valueOf(await ending.deactivate());
      valueOf(await ending.activate());
      const patience = { unavailableMs: 300, outcomeMs: 300 };
      const other = connectEventStore({ url: store.node.url, timeouts: patience, logger: quietLogger() });
      const isCold = who === 'a process that has seen nothing';
      const by = isCold ? world.instance({ store: other }) : world.commands;
      const { addonId, organizationId, userId } = ending;

      store.node.faults.read({ kind: 'as-of', position: past }, { times: Infinity });
      store.node.faults.append({ kind: 'timeout' }, { times: Infinity });
      let unavailable = 0;
      const insist = async <T>(call: () => Promise<T>): Promise<T> => {
        for (;;)
          try {
            return await call();
          } catch (error) {
            if (!(error instanceof EventStoreUnavailable || error instanceof AppendOutcomeUnknown))
              throw error;
            unavailable += 1;
            if (unavailable === 12) store.node.faults.clear();
          }
      };
      const introspect = (token = '') =>
        insist(() => by.introspectToken({ addonId: world.addonId, token, audiences: [] }));
      const answers = await Promise.all([
        introspect(second?.accessToken),
        introspect(second?.refreshToken),
        insist(() => world.refresh(refreshToken, {}, by)),
        insist(() => world.refresh(third?.refreshToken ?? '', {}, by)),
        insist(() => world.exchange(code, {}, by)),
        insist(() => by.deactivateAddon({ addonId, organizationId, by: userId })),
      ]);
      await other.close();
      const ok = expect.objectContaining({ ok: true }) as unknown;
      expect(unavailable).toBeGreaterThanOrEqual(12);
      expect(answers).toEqual([
        expect.objectContaining({ kind: 'access' }),
        expect.objectContaining({ kind: 'refresh' }),
        ok,
        ok,
        ok,
        expect.objectContaining({ value: expect.objectContaining({ epoch: 2, repeated: false }) as unknown }),
      ]);
    },
  );

  test.each([true, false])(
    'TC-14, RT-02, RT-07: an exchange and a refresh whose answers are lost (written: %s) get one pair by one event, also without a grace',
    async (written) => {
      const { issue, exchange, eventsOf, refresh } = await issuance({ refreshGrace: 0 });
      const code = await issue();
      store.node.faults.append({ kind: 'end', status: 'UNAVAILABLE', written });
      const { refreshToken } = valueOf(await exchange(code));
      expect(await eventsOf(code)).toEqual(['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed']);
      store.node.faults.append({ kind: 'end', status: 'UNAVAILABLE', written });
      const next = valueOf(await refresh(refreshToken));
      expect((await eventsOf(code)).slice(2)).toEqual(['TokensRefreshed']);
      expect(refusalOf(await refresh(next.refreshToken))).toBeUndefined();
    },
  );
});
