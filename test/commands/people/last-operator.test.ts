import { describe, expect, test } from 'vitest';
import { loadAccount } from '../../../src/commands/people/accounts/load-account.ts';
import { isOperator } from '../../../src/domain/people/operators.ts';
import { operatorsStream } from '../../../src/domain/streams.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import type { MemoryStoreHooks } from '../../support/memory/memory-store.ts';
import { atAppend, crash } from '../../support/memory/at-append.ts';

const password = 'correct horse';

const withOperators = async (names: readonly string[], hooks: MemoryStoreHooks = {}) => {
  const market = marketplace(hooks);
  const { removeRole, disableUser, eraseUser } = market;
  const ids: string[] = [];
  for (const name of names) {
    const who = { email: `${name}@example.com`, name, password, administratorOf: [] };
    ids.push(valueOf(await market.createUser({ ...who, roles: ['operator'] })).userId);
  }
  const ends = {
    'remove-role': (userId: string, force = false) => removeRole({ userId, role: 'operator', force }),
    disable: (userId: string, force = false) => disableUser({ userId, force }),
    erase: (userId: string, force = false) => eraseUser({ userId, force }),
  };
  const left = async () => {
    const are = ids.map(async (id) => isOperator((await loadAccount(market.store, id)).account));
    return (await Promise.all(are)).filter(Boolean).length;
  };
  const allowed = async () => (await market.store.read(operatorsStream)).events.length;
  return { ...market, ids: ids as [string, string, ...string[]], ends, left, allowed };
};

const commands = ['remove-role', 'disable', 'erase'] as const;
const lastOperator = { ok: false, refusal: 'last-operator' };

describe('AM-11: the last operator', () => {
  test.each(commands)('stays by %s, except by force', async (command) => {
    const { ids, ends, left, allowed } = await withOperators(['ada', 'bo']);
    expect(await ends[command](ids[0])).toMatchObject({ ok: true });
    expect(await ends[command](ids[0])).toMatchObject({ ok: true });
    expect(await allowed()).toBe(1);
    for (const other of commands) expect(await ends[other](ids[1])).toEqual(lastOperator);
    expect([await left(), await allowed()]).toEqual([1, 1]);
    expect(await ends[command](ids[1], true)).toMatchObject({ ok: true });
    expect(await left()).toBe(0);
  });

  test('is the last one who may sign in: others are disabled or have no role', async () => {
    const { ids, ends, grantRole, enableUser } = await withOperators(['ada', 'bo', 'carol']);
    await ends['remove-role'](ids[1]);
    await ends.disable(ids[2] ?? '');
    expect(await ends['remove-role'](ids[0])).toEqual(lastOperator);
    await enableUser(ids[2] ?? '');
    await grantRole({ userId: ids[1], role: 'operator' });
    for (const id of ids.slice(1)) expect(await ends.erase(id)).toMatchObject({ ok: true });
    expect(await ends['remove-role'](ids[0])).toEqual(lastOperator);
  });

  test.each(commands.flatMap((one) => commands.map((other) => [one, other] as const)))(
    'stays where one operator ends by %s and the other by %s, at every crossing of their appends',
    async (one, other) => {
      for (let delay = 0; delay < 4; delay += 1) {
        let appends = 0;
        const { ids, ends, left } = await withOperators(['ada', 'bo'], {
          beforeAppend: async (stream, [first]) => {
            if (first?.event.type === 'AccountCreated') return;
            appends += 1;
            for (let turn = 0; turn < (appends % 2) * delay * 4; turn += 1)
              await new Promise((resolve) => void setImmediate(resolve));
          },
        });
        const outcomes = await Promise.all([ends[one](ids[0]), ends[other](ids[1])]);
        expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
        expect(outcomes).toContainEqual(lastOperator);
        expect(await left()).toBe(1);
      }
    },
  );

  const afterACrash = async () => {
    const { hooks, arm } = atAppend('beforeAppend', 'AccountDisabled');
    const place = await withOperators(['ada', 'bo'], hooks);
    arm(crash);
    await expect(place.ends.disable(place.ids[0])).rejects.toThrow('crashed');
    return place;
  };

  test('does not count as remaining after a crash in between, until the command is repeated', async () => {
    const { ids, ends, left } = await afterACrash();
    expect(await left()).toBe(2);
    expect(await ends['remove-role'](ids[1])).toEqual(lastOperator);
    expect(await ends.disable(ids[0])).toMatchObject({ ok: true });
    expect(await left()).toBe(1);
  });

  test('counts as remaining again once the account has another event', async () => {
    const { ids, ends, left, updateUser } = await afterACrash();
    await updateUser({ userId: ids[0], name: 'Ada King' });
    expect(await ends['remove-role'](ids[1])).toMatchObject({ ok: true });
    expect(await ends.disable(ids[0])).toEqual(lastOperator);
    expect(await left()).toBe(1);
  });

  test('stays where a removal that was allowed comes late, after the account changed and the other operator went', async () => {
    let resume = () => {};
    const arrived = new Promise<void>((reached) => {
      resume = reached;
    });
    let goOn = () => {};
    const paused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { hooks, arm } = atAppend('beforeAppend', 'RoleRemoved');
    const { ids, ends, left, updateUser } = await withOperators(['ada', 'bo'], hooks);
    arm(async () => {
      resume();
      await paused;
    });
    const late = ends['remove-role'](ids[0]);
    await arrived;
    await updateUser({ userId: ids[0], name: 'Ada King' });
    expect(await ends.disable(ids[1])).toMatchObject({ ok: true });
    goOn();
    expect(await late).toEqual(lastOperator);
    expect(await left()).toBe(1);
  });
});
