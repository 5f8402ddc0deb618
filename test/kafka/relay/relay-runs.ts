import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import { makeToMessage, type ToMessage } from '../../../src/kafka/contract/to-message.ts';
import { publishedTypes } from '../../../src/kafka/contract/decisions.ts';
import { type GrantOwner, ownerFrom, grantIdOf } from '../../../src/kafka/contract/identity.ts';
import { makeGrantOwners } from '../../../src/kafka/relay/grant-owners.ts';
import { makeRelay, type Relay, type RelayDependencies } from '../../../src/kafka/relay/relay.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import { reactInBatches } from '../../../src/reactions/batch-reaction.ts';
import type { Tx } from '../../../src/projections/follow/projection.ts';
import { positionOf, type ScriptedLog } from '../../support/log/test-projector.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { memoryBroker, type Written } from './memory-broker.ts';
import { makeTape } from './tape.ts';

export const toMessage = makeToMessage({
  source: 'https://grantbook.example',
  baseUrl: 'https://grantbook.example',
  topics: defaultTopicNames,
});

/** A relay as it must not be: each is put around the real one, or in the place of a part of it. */
export type Wrong = {
  readonly toMessage?: ToMessage;
  readonly kafka?: (
    kafka: RelayDependencies['kafka'],
  ) => RelayDependencies['kafka'] & { readonly settled?: () => Promise<unknown> };
  readonly relay?: (relay: Relay['relay']) => Relay['relay'];
};

/** One place of a checkpoint, as in the table, for whoever holds the newest lease. */
const memoryCheckpoint = () => {
  let epoch = 0;
  let position: bigint | null = null;
  return {
    lead: () => ({ epoch: String((epoch += 1)), position }),
    tx: (pass: () => Promise<void>): Tx => ({
      query: (async (query: string | { readonly name?: string; readonly values: readonly unknown[] }) => {
        if (typeof query === 'string' || query.name !== 'move-checkpoint') return { rowCount: 0, rows: [] };
        await pass();
        const [, lease, from, , to] = query.values as [string, string, bigint | null, unknown, bigint];
        const moves = lease === String(epoch) && from === position;
        if (moves) position = to;
        await pass();
        return { rowCount: moves ? 1 : 0, rows: moves ? [{ parked_changes: '0' }] : [] };
      }) as unknown as Tx['query'],
    }),
  };
};

/** An instance that can be ended or stopped between any two of its steps. */
const makeVictim = () => {
  let release: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();
  return {
    pass: async () => {
      while (release) await running;
    },
    stop: () => {
      if (!release) running = new Promise((resolve) => (release = resolve));
    },
    release: () => {
      release?.();
      release = null;
    },
  };
};

/**
 * Relays a whole log as often interrupted as the tape says: instances are killed or stopped at labelled points, others lead in
 * their place, and those that were stopped continue in parallel with them. @returns what was written, once everybody has come to an end
 */
export const relayAll = async (
  log: ScriptedLog,
  numbers: readonly number[],
  wrong: Wrong = {},
): Promise<readonly Written[]> => {
  const tape = makeTape(numbers);
  const broker = memoryBroker(tape);
  const checkpoint = memoryCheckpoint();
  const stopped: { readonly goOn: () => void; readonly ended: Promise<unknown> }[] = [];
  let done = false;

  const lead = async (): Promise<void> => {
    const victim = makeVictim();
    const lease = checkpoint.lead();
    const over = new AbortController();
    let replace = () => {};
    const replaced = new Promise<'replaced'>((resolve) => (replace = () => resolve('replaced')));
    const at = async () => {
      await victim.pass();
      const what = done ? 0 : tape.choose(12);
      if (what < 10) return tape.yields();
      victim.stop();
      if (what === 10) stopped.push({ goOn: victim.release, ended });
      else if (stopped.length > 0 && tape.choose(2) === 1) stopped.shift()?.goOn();
      replace();
      await victim.pass();
    };
    const kafka: ReturnType<NonNullable<Wrong['kafka']>> = (wrong.kafka ?? ((same) => same))({
      publish: async (messages, signal) => {
        await victim.pass();
        await broker.publish(messages, signal);
        await victim.pass();
      },
    });
    const { relay } = makeRelay({
      kafka,
      toMessage: wrong.toMessage ?? toMessage,
      ownersOf: makeGrantOwners({ find: findIn(log), store: storeOf(log), most: 3 }),
      logger: quietLogger(),
      now: () => 0,
      bounds: { firstPause: 0, longestPause: 0 },
      at,
    });
    const ended: Promise<unknown> = reactInBatches(
      {
        databaseUrl: '',
        name: 'kafka-relay',
        log,
        logger: quietLogger(),
        eventTypes: publishedTypes,
        batchSize: 1 + tape.choose(6),
        isSkipped: () => Promise.resolve(false),
        handle: (wrong.relay ?? ((same) => same))(relay),
        at,
      },
      {
        lease: { name: 'kafka-relay', epoch: lease.epoch },
        position: lease.position === null ? null : positionOf(Number(lease.position)),
        tx: checkpoint.tx(victim.pass),
        newer: { stopAt: [], passOver: [] },
        signal: over.signal,
        stillLeads: () => true,
      },
      (_position, atEnd) => atEnd && over.abort(),
    ).catch(() => undefined);
    if ((await Promise.race([ended, replaced])) === 'replaced') return lead();
    await kafka.settled?.();
  };
  await lead();
  done = true;
  for (const { goOn } of stopped) goOn();
  await Promise.all(stopped.map(({ ended }) => ended));
  return broker.written;
};

/** The read models, which know only every second grant yet. */
const findIn = (log: ScriptedLog) => (grantIds: readonly string[]) => {
  const known = new Map<string, GrantOwner>();
  for (const event of log.events) {
    const [id, owner] = [grantIdOf(event.stream), ownerFrom(event)];
    if (id !== null && owner && grantIds.includes(id) && Number(id.slice(1)) % 2 === 0) known.set(id, owner);
  }
  return Promise.resolve(known);
};

const storeOf = (log: ScriptedLog): Pick<EventStore, 'read'> => ({
  read: (stream) => {
    const events = log.events.filter((event) => event.stream === stream);
    return Promise.resolve({ events, revision: events.at(-1)?.revision ?? 'no-stream' });
  },
});
