import { makeEndActivations, type ActivationReads } from '../../../src/reactions/end-activations.ts';
import { makeRevokeOnDeactivation, type EpochGrants } from '../../../src/reactions/revoke-on-deactivation.ts';
import { makeRevokeOwnGrants, type OwnGrants } from '../../../src/reactions/make-revocations.ts';
import type { Position, RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { memoryEpochGrants, memoryOwnGrants } from '../../support/memory/memory-grants.ts';
import { memoryActivationReads } from '../../support/memory/memory-addon-grants.ts';
import { insist } from './parts.ts';
import type { Actor } from './stage.ts';
import type { ReadModels } from './workers.ts';
import type { World } from './world.ts';

/**
 * The reactions over read models that may be behind, with a checkpoint; when their process dies, another one begins at the
 * same event again. Nobody tells them to stop.
 */
export const react = (world: World, models: ReadModels, diesAfter?: number): void => {
  let done = 0;
  insist(world, 'reaction', diesAfter, async (actor) => {
    const needs = world.needsOf(actor, 'reaction');
    const reads = grantsOf(world, models, actor);
    const reactions = [
      makeEndActivations({ ...needs, ...reads }),
      makeRevokeOnDeactivation({ ...needs, ...reads }),
      makeRevokeOwnGrants({ ...needs, ...reads }),
    ];
    for (;;) {
      const next = await actor.turn('reads the log', () => causesIn(world)[done], {
        when: () => causesIn(world).length > done,
      });
      if (!next) throw new Error('nothing to react to');
      for (const reaction of reactions) await reaction(next, new AbortController().signal);
      done += 1;
    }
  });
};

const causes: readonly string[] = [
  'OrganizationClosed',
  'AddonDeactivated',
  'ConsentWithdrawn',
  'AccountDisabled',
];
const causesIn = ({ log }: World): readonly RecordedEvent[] =>
  log.all().filter(({ event }) => causes.includes(event.type));

/** What the read models know of the grants, as `src/projections/access/grants-to-end.ts` asks them. */
const grantsOf = (world: World, models: ReadModels, actor: Actor) => {
  const held = { all: () => world.log.all().slice(0, models.held) };
  /** One look, once the models hold so much of the log. */
  const look = <T>(upTo: number, read: () => Promise<T>) =>
    actor.turn('reads the grants', read, {
      when: () => models.held >= upTo,
      saw: (result) =>
        JSON.stringify(result, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    });
  const onePage = { pageSize: 100 };
  const epochGrants: EpochGrants = {
    async *live(of, signal) {
      const newest = world.log.all().findLastIndex(({ event }) => event.type === 'AuthorizationCodeIssued');
      yield* await look(newest + 1, () => all(memoryEpochGrants(held, onePage).live(of, signal)));
    },
    countEnded: (of, upTo, signal) =>
      look(placeOf(upTo), () => memoryEpochGrants(held, onePage).countEnded(of, upTo, signal)),
  };
  const ownGrants: OwnGrants = async function* (of, signal) {
    yield* await look(placeOf(of.upTo), () => all(memoryOwnGrants(held)(of, signal)));
  };
  const activationReads: ActivationReads = {
    ...memoryActivationReads(held.all),
    async catchUp() {
      await look(world.log.all().length, () => Promise.resolve());
    },
  };
  return { epochGrants, ownGrants, activationReads };
};

/** Positions of the log in memory count from 1. */
const placeOf = (position: Position | null): number => Number(position?.commit ?? 0);

const all = async <T>(pages: AsyncIterable<T>): Promise<readonly T[]> => {
  const read: T[] = [];
  for await (const page of pages) read.push(page);
  return read;
};
