import { eventIdOf } from '../../src/common/event-id.ts';
import { expect, test } from 'vitest';
import { makeRevokeOnDeactivation } from '../../src/reactions/revoke-on-deactivation.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { t0 } from '../support/scenes/grants.ts';
import { issuance } from '../support/memory/issuance.ts';
import { memoryEpochGrants } from '../support/memory/memory-grants.ts';
import { valueOf } from '../support/outcomes.ts';

type Step = (name: string) => Promise<void>;

/** Five grants: a fresh code, two that live, one in whose stream a refusal lies, one that had ended by itself. */
const deactivated = async () => {
  const over = await issuance();
  const { store, fence, issue, exchange, newPair, refresh, commands, addonId } = over;
  await issue();
  await newPair();
  valueOf(await refresh((await newPair()).refreshToken));
  const doubted = await issue();
  await exchange(doubted, { redirectUri: 'https://addon.example/other' });
  valueOf(await exchange(doubted));
  const { refreshToken } = await newPair();
  valueOf(await commands.revokeToken({ addonId, token: refreshToken }));
  valueOf(await over.deactivate());
  const event = store.all().at(-1);
  if (!event) throw new Error('no event');

  /** One life of the reaction: everything that it does to the world is a step, and so is its checkpoint. */
  const live = async (step: Step, knowsEnds = true): Promise<void> => {
    const react = makeRevokeOnDeactivation({
      now: () => t0,
      store: {
        ...store,
        async append(...given) {
          await step('append');
          const appended = await store.append(...given);
          await step('appended');
          return appended;
        },
        async read(stream) {
          await step('read');
          return store.read(stream);
        },
      },
      fence: {
        ...fence,
        async write(rows) {
          await step('write fence');
          await fence.write(rows);
          await step('fence written');
        },
      },
      epochGrants: memoryEpochGrants(store, { step, knowsEnds: () => knowsEnds }),
    });
    await react(event, new AbortController().signal);
    await step('checkpoint');
  };

  /** What the log says in the end: which ids follow from the cause, as they should, and in what order. */
  const outcome = () => {
    const all = store.all().filter(({ metadata }) => metadata.causationId === event.id);
    const idOf = ({ event: { type }, stream }: RecordedEvent) =>
      type === 'GrantRevoked'
        ? eventIdOf(event.id, type, stream.slice('grant-'.length))
        : eventIdOf(event.id, type);
    return {
      types: all.map(({ event: { type } }) => type),
      ids: all.every((recorded) => recorded.id === idOf(recorded)) ? 'as they follow' : 'others',
      grants: new Set(all.map(({ stream }) => stream).filter((stream) => stream.startsWith('grant-'))).size,
      completed: store
        .all()
        .flatMap((recorded) =>
          recorded.event.type === 'RevocationCompleted' ? [recorded.event.data.grants] : [],
        ),
    };
  };
  return { live, outcome };
};

const asOnce = {
  types: [...Array.from({ length: 4 }, () => 'GrantRevoked'), 'RevocationCompleted'],
  ids: 'as they follow',
  grants: 4,
  completed: [4],
};

const unharmed: Step = () => Promise.resolve();

/** Lets so many steps happen and none after: what kill -9 does. */
const killedAfter = (steps: number): Step => {
  let left = steps;
  return async () => {
    await Promise.resolve();
    if (left-- <= 0) throw new Error('killed');
  };
};

const stepsOfAWholeLife = async (): Promise<readonly string[]> => {
  const names: string[] = [];
  const { live } = await deactivated();
  await live((name) => Promise.resolve(void names.push(name)));
  return names;
};

test('DE-04: killed after any of its steps, a repeat ends in the same events', async () => {
  const names = await stepsOfAWholeLife();
  expect(new Set(names)).toEqual(
    new Set(['write fence', 'fence written', 'page', 'append', 'appended', 'read', 'count', 'checkpoint']),
  );
  const outcomes = new Map<string, unknown>();
  for (const [steps, name] of names.entries())
    for (const readModels of ['current', 'behind']) {
      const { live, outcome } = await deactivated();
      await expect(live(killedAfter(steps))).rejects.toThrow('killed');
      await live(unharmed, readModels === 'current');
      outcomes.set(`killed before ${steps} "${name}", read models ${readModels}`, outcome());
    }
  expect(outcomes).toEqual(new Map([...outcomes.keys()].map((how) => [how, asOnce])));
});

test('DE-04: killed again and again, it comes to the same end', async () => {
  const { live, outcome } = await deactivated();
  const lives = async (length: number): Promise<number> => {
    const isKilled = await live(killedAfter(length)).then(
      () => false,
      () => true,
    );
    return isKilled ? lives(length + 1) : length;
  };
  expect(await lives(1)).toBeGreaterThan(5);
  expect(outcome()).toEqual(asOnce);
});

test('DE-04: one that was replaced without noticing continues in parallel with its successor, and nothing happens twice', async () => {
  const outcomes = new Map<string, unknown>();
  for (const [paused, name] of (await stepsOfAWholeLife()).entries()) {
    const { live, outcome } = await deactivated();
    let resume = () => {};
    const woken = new Promise<void>((resolve) => (resume = resolve));
    let steps = 0;
    const zombie = live(() => (steps++ < paused ? Promise.resolve() : woken));
    await live(unharmed);
    resume();
    await zombie;
    outcomes.set(`paused before ${paused} "${name}"`, outcome());
  }
  expect(outcomes).toEqual(new Map([...outcomes.keys()].map((how) => [how, asOnce])));
});

test('DE-04: of three that run side by side, each event is appended once', async () => {
  const { live, outcome } = await deactivated();
  await Promise.all([live(unharmed), live(unharmed, false), live(unharmed)]);
  expect(outcome()).toEqual(asOnce);
});
