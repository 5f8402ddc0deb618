import { beforeEach, expect, test } from 'vitest';
import { KafkaUnavailable, MessageRefused, type MessageToPublish } from '../../../src/kafka/kafka-client.ts';
import { makeRelay, type RelayDependencies } from '../../../src/kafka/relay/relay.ts';
import { activated, addon, deactivated, issued, tell } from '../../projections/follow/a-story.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { scriptedLog, type ScriptedLog } from '../../support/log/test-projector.ts';
import { toMessage } from './relay-runs.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

let log: ScriptedLog;
let logger: ReturnType<typeof quietLogger>;
let time: number;
let sent: string[][];
let answers: (Error | null)[];

beforeEach(() => {
  [log, logger, time, sent, answers] = [scriptedLog(), quietLogger(), 1_000_000, [], []];
});

const make = (more: Partial<RelayDependencies> = {}) =>
  makeRelay({
    kafka: {
      publish: (messages: readonly MessageToPublish[]) => {
        sent.push(messages.map(({ headers }) => String(headers['ce_type'])));
        time += 1_000;
        const answer = answers.shift() ?? null;
        return answer ? Promise.reject(answer) : Promise.resolve();
      },
    },
    toMessage,
    ownersOf: (events) => Promise.resolve(events.map(() => null)),
    logger,
    now: () => time,
    bounds: { firstPause: 0, longestPause: 0, stepDownAfter: 30_000 },
    ...more,
  });

const never = new AbortController().signal;
const levels = () => logger.lines.map(({ level, message }) => `${level}: ${message}`);

test('what fails is sent again as a whole, before anything behind it; the log has a line when it begins and one when it is over', async () => {
  expectTrouble(/the relay cannot publish.*nobody answers/);
  const { relay, status } = make();
  const events = tell(log, activated(1), issued('G1'));
  answers = [null, ...Array.from({ length: 5 }, () => new KafkaUnavailable('nobody answers'))];
  expect(await relay(events, never)).toBe('handled');
  const [first, ...others] = sent;
  expect(first).toEqual(['grantbook.activation.activated.v1']);
  expect(others).toHaveLength(6);
  expect(new Set(others.map(String))).toEqual(new Set(['grantbook.grant.code-issued.v1']));
  expect(levels()).toEqual([
    'warn: the relay cannot publish; retrying, nothing is lost',
    'info: the relay has recovered',
  ]);
  expect(status()).toMatchObject({
    trouble: null,
    waiting: 0,
    oldestWaiting: null,
    failures: 5,
    published: [
      { topic: 'grantbook.activations', messages: 1 },
      { topic: 'grantbook.grants', messages: 1 },
    ],
  });
});

test('while it does not work it says why and since when, and who waits', async () => {
  expectTrouble(/the relay cannot publish.*nobody answers/);
  const stop = new AbortController();
  const { relay, status } = make({ bounds: { firstPause: 60_000, longestPause: 60_000 } });
  const events = tell(log, activated(1), deactivated(1));
  answers = [new KafkaUnavailable('nobody answers at 127.0.0.1:9')];
  const relaying = relay(events, stop.signal);
  await expect.poll(() => status().trouble).not.toBeNull();
  expect(status()).toEqual({
    trouble: { since: 1_001_000, reason: 'nobody answers at 127.0.0.1:9' },
    published: [],
    waiting: 2,
    oldestWaiting: events[0]?.created,
    failures: 1,
    lastFailure: 1_001_000,
  });
  stop.abort();
  expect(await relaying).toBe('stepped-down');
});

test('after a while without success another instance may try, and the next try here is no news', async () => {
  expectTrouble(/the relay cannot publish.*nobody answers/);
  const { relay } = make();
  const events = tell(log, activated(1));
  answers = Array.from({ length: 200 }, () => new KafkaUnavailable('nobody answers'));
  expect(await relay(events, never)).toBe('stepped-down');
  expect(sent.length).toBeGreaterThan(25);
  expect(await relay(events, never)).toBe('stepped-down');
  expect(levels()).toEqual(['warn: the relay cannot publish; retrying, nothing is lost']);
});

test('a message that the broker will never take is not skipped: it is an alarm, and tried again for as long as it takes', async () => {
  expectTrouble(/Kafka refuses a message.*too large/);
  const { relay, status } = make();
  const events = tell(log, activated(1), addon('A1'));
  answers = Array.from({ length: 100 }, () => new MessageRefused('too large'));
  expect(await relay(events, never)).toBe('handled');
  expect(sent).toHaveLength(101);
  expect(status().trouble).toBeNull();
  expect(logger.lines).toMatchObject([
    { level: 'error', context: { alarm: true } },
    { level: 'info', message: 'the relay has recovered' },
  ]);
});

test('whose a grant is may be unknown for a while: nothing is sent until it is known', async () => {
  expectTrouble(/the relay cannot publish.*no log/);
  let failures = 3;
  const { relay } = make({
    ownersOf: (events) =>
      failures-- > 0 ? Promise.reject(new Error('no log')) : Promise.resolve(events.map(() => null)),
  });
  expect(await relay(tell(log, issued('G1')), never)).toBe('handled');
  expect(sent).toHaveLength(1);
  expect(levels()[0]).toMatch(/^warn/);
});
