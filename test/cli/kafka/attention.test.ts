import { expect, test } from 'vitest';
import { textFor } from '../../../src/cli/base/answer.ts';
import { presentKafka } from '../../../src/cli/kafka/present-kafka.ts';
import type { KafkaFacts } from '../../../src/cli/kafka/kafka-facts.ts';

const letter = (topic: string, offset: string) => ({
  topic,
  partition: 0,
  offset,
  organizationId: null,
  by: 'break-glass',
  to: 'p',
  writtenAt: 1,
  at: 2,
});

const facts: KafkaFacts = {
  brokers: ['b:9092'],
  topics: [{ name: 't', state: 'there', partitions: 1, retentionMs: null, problems: [], notes: ['fine'] }],
  ingest: { name: 'g', state: 'Stable', members: 1, partitions: [] },
  // Ten were written, five are kept, and one of these was resent.
  deadLetters: { topic: 'd', kept: [{ partition: 0, first: 5n, end: 10n }] },
  relay: { checkpoint: null, events: 0, oldest: null, isAll: true },
  relayLeader: '10.0.0.1',
  parked: 0,
  expired: [],
  resent: {
    resent: new Map(
      [letter('d', '4'), letter('d', '7'), letter('e', '8')].map((one) => [one.topic + one.offset, one]),
    ),
  },
};

const now = 1_000_000;
const attention = (change: Partial<KafkaFacts>) => {
  const { json } = presentKafka({ ...facts, ...change }, now);
  const { attention: found } = json as {
    readonly attention: readonly { readonly about: string; readonly found: string }[];
  };
  return found.map((one) => `${one.about}: ${one.found}`);
};
const none = { deadLetters: { topic: 'd', kept: [] } };

test('AP-14: kafka status says first what needs attention, or that nothing does', () => {
  const { text, json } = presentKafka(facts, now);
  expect(textFor(Infinity, text).split('\n').slice(0, 3)).toEqual([
    'Needs attention:',
    '  dead-letters: 4 not resent: grantbook kafka dead-letters list --state waiting',
    '',
  ]);
  expect(json).toMatchObject({ ingest: { dead_letters: 5, dead_letters_waiting: 4 } });
  expect(textFor(Infinity, presentKafka({ ...facts, ...none }, now).text)).toMatch(
    /^Nothing needs attention\.\n/,
  );
});

test.each<[string, Partial<KafkaFacts>]>([
  ['relay: no instance publishes', { relayLeader: null }],
  [
    'relay: more than 9 events behind, the oldest for 90 s',
    { relay: { checkpoint: null, events: 9, oldest: now - 90_000, isAll: false } },
  ],
  ['ingest: no instance reads as group g', { ingest: { ...facts.ingest, members: 0 } }],
  [
    'ingest: 1 message behind',
    {
      ingest: {
        ...facts.ingest,
        partitions: [{ topic: 'p', partition: 0, committed: 1n, first: 0n, end: 2n, lag: 1n }],
      },
    },
  ],
  [
    'topic: t: it is compacted',
    { topics: facts.topics.map((one) => ({ ...one, problems: ['it is compacted'] })) },
  ],
  [
    'ingest: p/3: 1 message expired unread',
    {
      ingest: {
        ...facts.ingest,
        partitions: [{ topic: 'p', partition: 3, committed: 1n, first: 2n, end: 2n, lag: 0n }],
      },
    },
  ],
  [
    'ingest: 5 messages of profiles expired unread since 1970-01-01T00:00:01.000Z: see grantbook expired-messages list; import a snapshot',
    { expired: [{ records: 'profiles', topic: 'p', partition: 3, from: 2n, until: 7n, at: 1_000 }] },
  ],
  ['parked: 2 keys with parked events: grantbook parked list', { parked: 2 }],
])('AP-14: kafka status names %s', (says, change) => {
  expect(attention({ ...none, ...change })).toEqual([expect.stringContaining(says)]);
});

test('AP-14: a relay that is a moment behind, and a group whose state may not be read, need no attention', () => {
  const relay = { checkpoint: null, events: 9, oldest: now - 1_000, isAll: true };
  expect(attention({ ...none, relay, ingest: { ...facts.ingest, members: 0, state: null } })).toEqual([]);
});
