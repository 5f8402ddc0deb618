import { describe, expect, test } from 'vitest';
import { judgeReadiness, type ReadinessFacts } from '../../src/observability/readiness/judge-readiness.ts';
import type { WorkerStatus } from '../../src/projections/leadership/leader-elected-worker.ts';
import type { ServerState } from '../../src/observability/readiness/server-probe.ts';
import { kafkaStatus } from '../support/log/kafka-status.ts';

const standby: WorkerStatus = {
  role: 'standby',
  healthy: true,
  caughtUp: false,
  position: null,
  stuckAt: null,
};
const stuck: WorkerStatus = { ...standby, role: 'stuck', healthy: false };
const failing: WorkerStatus = { ...standby, role: 'leading', healthy: false };

const well: ServerState = { trouble: null, isUntried: false, ahead: 0 };
const full: ServerState = { trouble: 'its disk is full (53100)', isUntried: false, ahead: null };

const facts: ReadinessFacts = {
  eventStore: 'ok',
  database: 'ok',
  servers: { eventStore: well, database: well },
  workers: {
    projector: standby,
    revocations: standby,
    history: standby,
    signals: standby,
    signalPush: standby,
    logHeads: standby,
    streams: standby,
    retention: standby,
    tableRetention: standby,
  },
  kafka: kafkaStatus({}),
  mail: null,
  parked: [],
  lostKeys: 0,
  deposits: [],
  signInProviders: [],
};

const answerTo = (changed: Partial<ReadinessFacts>): string => {
  const { ready, degraded } = judgeReadiness({ ...facts, ...changed });
  return !ready ? 'not-ready' : degraded ? 'degraded' : 'ready';
};
const withServers = (servers: Partial<ReadinessFacts['servers']>) =>
  answerTo({ servers: { ...facts.servers, ...servers } });
const ahead = (milliseconds: number): ServerState => ({ ...well, ahead: milliseconds });
const withWorker = (name: keyof ReadinessFacts['workers'], status: WorkerStatus) =>
  answerTo({ workers: { ...facts.workers, [name]: status } });

test('FX-60: a mail that failed degrades an instance until one is sent, and is named; a recipient that is refused is only named', () => {
  const trouble = { problem: 'the mail server refused the mail', at: 0, isOfRecipient: false };
  const mail = { sent: 3, failed: 1, trouble };
  expect(answerTo({ mail })).toBe('degraded');
  expect(judgeReadiness({ ...facts, mail }).checks['mail']).toBe(
    'the newest mail was not sent at 1970-01-01T00:00:00.000Z: the mail server refused the mail',
  );
  expect(answerTo({ mail: { ...mail, trouble: null } })).toBe('ready');
  const ofRecipient = { ...mail, trouble: { ...trouble, isOfRecipient: true } };
  expect(answerTo({ mail: ofRecipient })).toBe('ready');
  expect(judgeReadiness({ ...facts, mail: ofRecipient }).checks['mail']).toContain(
    'the newest mail was not sent',
  );
});

test('TR-02: ready while everything works', () => expect(answerTo({})).toBe('ready'));

describe('TR-02: not ready is an instance by what makes tokens or lists wrong or unavailable', () => {
  test.each([
    ['the event store does not answer', answerTo({ eventStore: 'unreachable' })],
    ['the database does not answer', answerTo({ database: 'unreachable' })],
    ['OP-05: the event store does not accept writes', withServers({ eventStore: full })],
    ['OP-05: the database does not accept writes', withServers({ database: full })],
    [
      'OP-05: both servers say that our clock is 31 s behind',
      withServers({ eventStore: ahead(31_000), database: ahead(31_000) }),
    ],
    [
      'OP-05: both servers say that our clock is 31 s ahead',
      withServers({ eventStore: ahead(-31_000), database: ahead(-31_000) }),
    ],
    ['the projector is stuck', withWorker('projector', stuck)],
    ['the projector fails again and again', withWorker('projector', failing)],
  ])('%s', (_what, answer) => expect(answer).toBe('not-ready'));
});

describe('TR-02: degraded is an instance by what would be so on every one', () => {
  test.each([
    ['HI-03: a signed head that could not be deposited', answerTo({ deposits: [{ waiting: 1 }] })],
    [
      'FE-01: a sign-in provider that cannot be reached',
      answerTo({ signInProviders: [{ name: 'Acme', state: 'it did not answer in time' }] }),
    ],
    ['a stuck reaction', withWorker('revocations', stuck)],
    ['a reaction that fails again and again', withWorker('revocations', failing)],
    ['OP-05: the clock of the database alone is 31 s off', withServers({ database: ahead(31_000) })],
    ['OP-05: the clock of the event store alone is 31 s off', withServers({ eventStore: ahead(-31_000) })],
    ['two servers that disagree', withServers({ eventStore: ahead(-31_000), database: ahead(31_000) })],
    ['OP-05: an account that may not try a write', withServers({ eventStore: { ...full, isUntried: true } })],
    ['a stuck history', withWorker('history', stuck)],
    ['signals that are not queued', withWorker('signals', failing)],
    ['signals that are not pushed', withWorker('signalPush', failing)],
    ['log heads that are not signed', withWorker('logHeads', failing)],
    ['names of streams that are not kept', withWorker('streams', failing)],
    ['retention that does not work', withWorker('retention', failing)],
    ['rows that are not removed', withWorker('tableRetention', failing)],
    ['a stuck relay', answerTo({ kafka: kafkaStatus({ relay: { role: 'stuck' } }) })],
    ['TR-03: a person whose key is lost', answerTo({ lostKeys: 1 })],
    ['parked events', answerTo({ parked: [{ keys: 1 }] })],
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

  test('OP-05: checks name the server and what is wrong with it, or with its clock', () => {
    const servers = { eventStore: ahead(-45_200), database: full };
    expect(judgeReadiness({ ...facts, servers }).checks).toMatchObject({
      eventStore: 'ok',
      database: 'does not accept writes: its disk is full (53100)',
      clocks: 'the clock of the event store is 45 s behind ours',
    });
    expect(judgeReadiness(facts).checks).toMatchObject({ eventStore: 'ok', database: 'ok', clocks: 'ok' });
  });
});
