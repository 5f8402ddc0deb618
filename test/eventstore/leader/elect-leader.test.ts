import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Gossip } from '../../../src/eventstore/leader/ask-gossip.ts';
import { electedBy, knownAfter } from '../../../src/eventstore/leader/elect-leader.ts';
import { watchLeader } from '../../../src/eventstore/leader/leader-watch.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const members = ['n0', 'n1', 'n2'];
const [old, , present] = ['n0', 'n1', 'n2'] as const;
type View = Gossip | null;
const says = (...leaders: string[]): Gossip => ({ leaders, members });

/** What the members say after a frozen leader (n0) was continued; null is no answer (design/eventstoredb.md, 9). */
const afterwards: readonly (readonly [who: string, n0: View, others: View])[] = [
  ['before', null, says(present)],
  ['it lists itself, alone', says(old), says(present)],
  ['the others list it again, first', null, says(old, present)],
  ['the others list it again, last', null, says(present, old)],
  ['all list both, it first', says(old, present), says(old, present)],
  ['all list both, it last', says(present, old), says(present, old)],
  ['it says that it leads, the others list both', says(old), says(old, present)],
  ['it is about to follow', says(present), says(old, present)],
  ['it shuts down', says(present), says(present)],
  ['it has ended', null, says(present)],
];
const subsets = Array.from({ length: 8 }, (_, bits) => members.filter((_member, at) => bits & (1 << at)));
const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/** Only some answer, in one order. */
const viewsOf = (n0: View, others: View, answering: readonly string[], order: readonly number[]) =>
  new Map(
    order.flatMap((at): readonly (readonly [string, Gossip])[] => {
      const member = members[at] ?? '';
      const view = member === old ? n0 : others;
      return view && answering.includes(member) ? [[member, view]] : [];
    }),
  );

test('FX-42: no step of the return of a frozen leader elects it, whoever answers, in each order', () => {
  for (const [, n0, others] of afterwards)
    for (const answering of subsets)
      for (const order of orders) {
        const views = viewsOf(n0, others, answering, order);
        expect(electedBy(new Set(members), views)).not.toBe(old);
        const known = knownAfter({ seeds: members, known: new Set(members) }, views);
        expect([...known].toSorted()).toEqual(members);
      }
});

test('FX-42: exactly the one live leader in the views of most of all known members is elected', () => {
  const possible: readonly View[] = [
    null,
    says(),
    says('n0'),
    says('n2'),
    says('n0', 'n2'),
    says('n2', 'n0'),
  ];
  for (const a of possible)
    for (const b of possible)
      for (const c of possible) {
        const views = new Map(
          [a, b, c].flatMap((view, at): readonly (readonly [string, Gossip])[] =>
            view ? [[`n${at}`, view]] : [],
          ),
        );
        const votes = [a, b, c].map((view) => (view?.leaders.length === 1 ? view.leaders[0] : undefined));
        const expected = ['n0', 'n2'].find((one) => votes.filter((vote) => vote === one).length >= 2) ?? null;
        expect(electedBy(new Set(members), views)).toBe(expected);
      }
});

describe('FX-42: who is a member', () => {
  const known = (
    seeds: readonly string[],
    before: readonly string[],
    views: Readonly<Record<string, Gossip>>,
  ) => [...knownAfter({ seeds, known: new Set(before) }, new Map(Object.entries(views)))].toSorted();
  const all = says(present);

  test('a name for the whole cluster counts only until most members have answered', () => {
    expect(known(['dns'], ['dns'], {})).toEqual(['dns']);
    expect(known(['dns'], ['dns'], { dns: all })).toEqual(['dns', ...members]);
    expect(known(['dns'], ['dns', ...members], { dns: all, n1: all, n2: all })).toEqual(members);
    expect(electedBy(new Set(['dns', ...members]), new Map([['dns', all]]))).toBeNull();
  });

  test('a cluster of one is its own majority, by its name and by its address', () => {
    const one: Gossip = { leaders: ['n0'], members: ['n0'] };
    expect(known(['dns'], ['dns', 'n0'], { dns: one, n0: one })).toEqual(['n0']);
    expect(electedBy(new Set(['n0']), new Map([['n0', one]]))).toBe('n0');
  });

  test('a leader that was frozen for so long that it lists only itself does not shrink the cluster', () => {
    const alone: Gossip = { leaders: ['n0'], members: ['n0'] };
    const left = known(members, members, { n0: alone });
    expect(left).toEqual(members);
    expect(electedBy(new Set(left), new Map([['n0', alone]]))).toBeNull();
    expect(known(['dns'], members, { dns: alone, n0: alone })).toEqual(['dns', ...members]);
  });

  test('members come and go, one by one and all at once behind a name', () => {
    const next: Gossip = { leaders: ['n2'], members: ['n1', 'n2', 'n3'] };
    expect(known(members, members, { n1: next, n2: next })).toEqual(['n0', 'n1', 'n2', 'n3']);
    expect(known(members, [...members, 'n3'], { n1: next, n2: next, n3: next })).toEqual(['n1', 'n2', 'n3']);
    const others: Gossip = { leaders: ['m1'], members: ['m0', 'm1', 'm2'] };
    expect(known(['dns'], members, { dns: others, m0: others, m1: others, m2: others })).toEqual([
      'm0',
      'm1',
      'm2',
    ]);
  });
});

describe('the leader that is used', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const scene = (view: (address: string) => View) => {
    const changes: string[] = [];
    const gossip = {
      ask: vi.fn<(address: string) => Promise<Gossip>>((address) => {
        const said = view(address);
        return said ? Promise.resolve(said) : Promise.reject(new Error('no answer'));
      }),
      close: () => undefined,
    };
    const watch = watchLeader({
      seeds: members,
      gossip,
      logger: quietLogger(),
      changed: (to) => changes.push(to),
    });
    return { watch, changes, gossip };
  };

  test('FX-42: stays through the whole return of a frozen one, for every set of answers at every step', async () => {
    for (const answering of subsets) {
      let step: (typeof afterwards)[number] | undefined = ['before', null, says(present)];
      let isFirst = true;
      const { watch, changes } = scene((address) => {
        if (!isFirst && !answering.includes(address)) return null;
        return (address === old ? step?.[1] : step?.[2]) ?? null;
      });
      expect(await watch.leader()).toBe(present);
      isFirst = false;
      for (step of afterwards) {
        await vi.advanceTimersByTimeAsync(250);
        const leader = watch.leader();
        await vi.advanceTimersByTimeAsync(1_000);
        expect(await leader).toBe(present);
      }
      expect(changes).toEqual([]);
      watch.close();
    }
  });

  test('FX-42: at the start there is none until most of all known members name one', async () => {
    let others: View = null;
    const { watch, changes } = scene((address) => (address === old ? says(old) : others));
    const early = watch.leader().catch((error: Error) => error.message);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await early).toContain('do not name the same leader');
    others = says(old, present);
    await vi.advanceTimersByTimeAsync(500);
    await expect(watch.confirm()).rejects.toThrow('do not name the same leader');
    others = says(present);
    const leader = watch.leader();
    await vi.advanceTimersByTimeAsync(250);
    expect(await leader).toBe(present);
    expect(changes).toEqual([]);
    watch.close();
  });

  test('FX-45: another leader is used as soon as each member was asked once more', async () => {
    let leader = old as string;
    const { watch, changes, gossip } = scene((address) =>
      address === old && leader !== old ? null : says(leader),
    );
    await watch.leader();
    await vi.advanceTimersByTimeAsync(0);
    const before = gossip.ask.mock.calls.length;
    leader = present;
    await vi.advanceTimersByTimeAsync(250);
    expect(changes).toEqual([present]);
    expect(gossip.ask.mock.calls.length - before).toBe(members.length);
    watch.close();
  });

  test('FX-105: a member that is silent to one question is asked again within half a second, and an answer that comes late changes nothing', async () => {
    let leader = old as string;
    const late: ((said: Gossip) => void)[] = [];
    const { watch, changes, gossip } = scene(() => says(leader));
    await watch.leader();
    gossip.ask.mockImplementation(() => new Promise((resolve) => late.push(resolve)));
    await vi.advanceTimersByTimeAsync(250);
    gossip.ask.mockImplementation(() => Promise.resolve(says(leader)));
    leader = present;
    await vi.advanceTimersByTimeAsync(500);
    expect(changes).toEqual([present]);
    for (const answer of late) answer(says(old));
    await vi.advanceTimersByTimeAsync(0);
    expect(changes).toEqual([present]);
    watch.close();
  });

  test('FX-42: a confirmation asks all members again, and does not wait for a silent one once most agree', async () => {
    let isSilent = false;
    const { watch, changes, gossip } = scene(() => says(present));
    await watch.leader();
    gossip.ask.mockImplementation((address) =>
      isSilent && address === old ? new Promise(() => undefined) : Promise.resolve(says('n1')),
    );
    isSilent = true;
    await watch.confirm();
    expect(changes).toEqual(['n1']);
    watch.close();
  });
});
