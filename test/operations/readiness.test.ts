import { describe, expect, test } from 'vitest';
import { judgeReadiness, type ReadinessFacts } from '../../src/compose-readiness.ts';
import type { LedStatus } from '../../src/projections/led.ts';
import { kafkaStatus } from '../support/kafka-status.ts';

const standby: LedStatus = { role: 'standby', healthy: true, caughtUp: false, position: null, stuckAt: null };
const stuck: LedStatus = { ...standby, role: 'stuck', healthy: false };
const failing: LedStatus = { ...standby, role: 'leading', healthy: false };

const facts: ReadinessFacts = {
  eventStore: 'ok',
  database: 'ok',
  workers: { projector: standby, revocations: standby, history: standby, logHeads: standby },
  kafka: kafkaStatus({}),
  parkedKeys: 0,
  lostKeys: 0,
};

const answerTo = (changed: Partial<ReadinessFacts>): string => {
  const { ready, degraded } = judgeReadiness({ ...facts, ...changed });
  return !ready ? 'not-ready' : degraded ? 'degraded' : 'ready';
};
const withWorker = (name: keyof ReadinessFacts['workers'], status: LedStatus) =>
  answerTo({ workers: { ...facts.workers, [name]: status } });

test('TR-02: ready while everything works', () => expect(answerTo({})).toBe('ready'));

describe('TR-02: not ready is an instance by what makes tokens or lists wrong or unavailable', () => {
  test.each([
    ['the event store does not answer', answerTo({ eventStore: 'unreachable' })],
    ['the database does not answer', answerTo({ database: 'unreachable' })],
    ['the projector is stuck', withWorker('projector', stuck)],
    ['the projector fails again and again', withWorker('projector', failing)],
  ])('%s', (_what, answer) => expect(answer).toBe('not-ready'));
});

describe('TR-02: degraded is an instance by what would be so on every one', () => {
  test.each([
    ['a stuck reaction', withWorker('revocations', stuck)],
    ['a reaction that fails again and again', withWorker('revocations', failing)],
    ['a stuck history', withWorker('history', stuck)],
    ['log heads that are not signed', withWorker('logHeads', failing)],
    ['a stuck relay', answerTo({ kafka: kafkaStatus({ relay: { role: 'stuck' } }) })],
    ['TR-03: a person whose key is lost', answerTo({ lostKeys: 1 })],
    ['parked events', answerTo({ parkedKeys: 1 })],
  ])('%s', (_what, answer) => expect(answer).toBe('degraded'));

  test('and its checks say which it is', () => {
    const workers = { ...facts.workers, revocations: stuck, history: failing };
    expect(judgeReadiness({ ...facts, workers }).checks).toMatchObject({
      projector: 'standby',
      revocations: 'stuck',
      history: 'leading, and does not work: see the log',
      kafka: 'ok',
    });
  });
});
