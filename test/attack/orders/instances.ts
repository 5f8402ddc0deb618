import type { Commands } from '../../../src/commands/commands.ts';
import { makeAddonDirectory } from '../../../src/commands/addons/find-addon.ts';
import { makeCommands } from '../../../src/commands/make-commands.ts';
import { AppendOutcomeUnknown, type EventStore } from '../../../src/eventstore/event-store.ts';
import { lifetimes, t0 } from '../../support/scenes/grants.ts';
import { keys } from '../../support/memory/issuance.ts';
import { memoryPersons } from '../../support/memory/memory-persons.ts';
import type { memoryStore } from '../../support/memory/memory-store.ts';
import { memoryWriteSide } from '../../support/memory/memory-write-side.ts';
import type { Role, SharedFence } from './shared-fence.ts';
import type { Actor, Stage } from './stage.ts';

/** What becomes of an actor's first append: it is answered, stored without a word, or still on its way when given up. */
export const wires = ['answers', 'loses the answer', 'delivers late'] as const;
export type Wire = (typeof wires)[number];

type Shared = {
  readonly log: ReturnType<typeof memoryStore>;
  readonly fence: SharedFence;
  readonly stage: Pick<Stage, 'enter'>;
  /** Where people come and go; without it, nobody writes to an organization: when that is read makes no difference. */
  readonly people?: People | undefined;
};

/** What a play about people needs in addition to the log. */
export type People = {
  /** As the read model finds them. */
  readonly operators: readonly string[];
  /** What is wrong with the log that the commands use, in plays that must find it. */
  readonly broken?: ((log: EventStore) => EventStore) | undefined;
};

/** Instances of the service over one log and one fence: whatever one of them reads or writes is a turn of its actor. */
export const instancesOver = (shared: Shared, firstId = 0) => {
  const { fence, people } = shared;
  let ids = firstId;
  const newId = () => `01ZZZZ${String((ids += 1)).padStart(20, '0')}`;
  const needsOf = (actor: Actor, role: Role, wire: Wire = 'answers') => ({
    store: storeBy(actor, shared, wire),
    fence: fence.by(actor, role),
    now: () => t0,
  });
  return {
    needsOf,
    /** One that has just been started: it remembers nothing. */
    instance: (actor: Actor, role: Role, wire?: Wire): Commands => {
      const needs = { ...needsOf(actor, role, wire), keys, newId, lifetimes };
      const given = memoryWriteSide(needs, {
        accounts: {
          persons: memoryPersons(),
          namesOfOrganizations: (names) => Promise.resolve(new Set(names)), // the log decides
          ...(people && { operators: () => Promise.resolve(people.operators) }),
        },
      });
      // Thousands of instances: room for ten thousand add-ons in each would take longer than all that they do.
      return makeCommands(given, makeAddonDirectory({ ...needs, most: 10 }));
    },
  };
};

const storeBy = (actor: Actor, { log: whole, stage, people }: Shared, wire: Wire): EventStore => {
  const log = people?.broken?.(whole) ?? whole;
  let next = wire;
  return {
    ...log,
    read: (stream) =>
      !people && stream.startsWith('organization-')
        ? log.read(stream)
        : actor.turn(`reads ${inShort(stream)}`, () => log.read(stream), {
            saw: ({ revision }) => `@${revision}`,
          }),
    async append(stream, expected, events) {
      const what = `appends ${events.map(({ event }) => event.type).join('+')} to ${inShort(stream)}`;
      const send = () => log.append(stream, expected, events);
      const happens = next;
      next = 'answers';
      if (happens === 'answers')
        return actor.turn(what, send, { saw: (result) => (result.ok ? 'ok' : `found @${result.actual}`) });
      if (happens === 'loses the answer') await actor.turn(what, send, { saw: () => 'no word' });
      else stage.enter(`${actor.name}'s lost append`, async (wire) => void (await wire.turn(what, send)));
      throw new AppendOutcomeUnknown('no word');
    },
  };
};

/** Enough to tell the streams of a play apart. */
const inShort = (stream: string) => `${stream.slice(0, stream.indexOf('-'))}…${stream.slice(-3)}`;
