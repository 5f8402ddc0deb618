import { expect, test } from 'vitest';
import { inContext } from '../../src/commands/commands.ts';
import { makeRevocations } from '../../src/reactions/make-revocations.ts';
import { AppendOutcomeUnknown, type RecordedEvent } from '../../src/eventstore/event-store.ts';
import { parseTraceparent } from '../../src/observability/tracing/traceparent.ts';
import { t0 } from '../support/scenes/grants.ts';
import { issuance } from '../support/memory/issuance.ts';
import { memoryActivationReads } from '../support/memory/memory-addon-grants.ts';
import { memoryEpochGrants } from '../support/memory/memory-grants.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { valueOf } from '../support/outcomes.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const another = traceparent.replace(traceId, 'f'.repeat(32));
const traceOf = ({ metadata }: RecordedEvent) => parseTraceparent(metadata.traceparent)?.traceId;

test('an event that is appended after a conflict, or again because nobody knew, keeps the trace of its request', async () => {
  const troubles: ('conflict' | 'unknown')[] = ['conflict', 'unknown'];
  const over = await issuance();
  const { addonId, organizationId, userId, store, commands } = over;
  const attempts: (string | undefined)[] = [];
  const real = { ...store };
  store.append = async (stream, expected, events) => {
    attempts.push(events[0]?.metadata?.traceparent);
    const trouble = troubles.shift();
    if (trouble === 'conflict') return { ok: false, actual: expected };
    if (trouble === 'unknown') throw new AppendOutcomeUnknown('nobody knows');
    return real.append(stream, expected, events);
  };
  valueOf(await commands.deactivateAddon({ addonId, organizationId, by: userId }, { traceparent }));
  expect(attempts).toEqual([traceparent, traceparent, traceparent]);
  expect(store.all().at(-1)).toMatchObject({
    event: { type: 'AddonDeactivated' },
    metadata: { actor: userId, traceparent },
  });
});

test('DE-04: what a reaction appends is of the trace of the event that it reacts to; done again it appends nothing', async () => {
  const over = await issuance();
  const { addonId, organizationId, userId, store, commands, fence } = over;
  await over.newPair();
  await over.newPair();
  valueOf(await commands.deactivateAddon({ addonId, organizationId, by: userId }, { traceparent }));
  const cause = store.all().at(-1);
  if (!cause) throw new Error('no event');
  const react = () =>
    makeRevocations({
      store,
      fence,
      now: () => t0,
      epochGrants: memoryEpochGrants(store, { step: () => Promise.resolve(), knowsEnds: () => false }),
      ownGrants: async function* () {},
      activationReads: memoryActivationReads(store.all),
    })(cause, new AbortController().signal);
  await react();
  const after = store.all().filter(({ metadata }) => metadata.causationId === cause.id);
  expect(after.map((event) => [event.event.type, traceOf(event)])).toEqual([
    ['GrantRevoked', traceId],
    ['GrantRevoked', traceId],
    ['RevocationCompleted', traceId],
  ]);
  const before = [...store.all()];
  await react();
  expect(store.all()).toEqual(before);
});

test('the same ids again are no second event, although the trace is another one', async () => {
  const store = memoryStore();
  const event = { id: crypto.randomUUID(), event: { type: 'SessionEnded', data: { at: 1 } } } as const;
  const append = (trace: string) =>
    store.append('session-S1', 'no-stream', [{ ...event, metadata: { traceparent: trace } }]);
  const first = await append(traceparent);
  expect(await append(another)).toEqual(first);
  expect(store.all().map(traceOf)).toEqual([traceId]);
});

test('commands in a context append within it, unless they are called with another one', async () => {
  const { commands, addonId, organizationId, userId, store } = await issuance();
  const by = { addonId, organizationId, by: userId };
  const traced = inContext(commands, { traceparent });
  valueOf(await traced.deactivateAddon(by));
  valueOf(await traced.activateAddon({ ...by, sessionId: null }, { traceparent: another }));
  expect(
    store
      .all()
      .slice(-2)
      .map(({ metadata }) => metadata.traceparent),
  ).toEqual([traceparent, another]);
  expect(await traced.showActivation(organizationId, addonId)).toMatchObject({ status: 'active', epoch: 2 });
});
