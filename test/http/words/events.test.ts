import { describe, expect, test } from 'vitest';
import { spelled, type SentenceContext } from '../../../src/domain/describe-event.ts';
import { english, type Words } from '../../../src/common/words.ts';
import { type DomainEvent, eventSentence, typesWithSubjects } from '../../../src/domain/events.ts';
import { markName, sentenceOf } from '../../../src/domain/kernel/sentence.ts';
import { codec } from '../../../src/eventstore/codec/codec.ts';
import { languages } from '../../../src/http/words/languages.ts';
import { fixtures, stored } from '../../eventstore/codec/fixtures.ts';

const shown = (kind: string) => (id: unknown) => markName(`${kind} ${String(id)}`);
const owner = { organizationId: 'O1', addonId: 'A1', userId: 'U1' };
const context: SentenceContext = {
  ...spelled,
  streamId: 'S1-S2',
  owner,
  organization: shown('organization'),
  addon: shown('addon'),
  user: shown('user'),
  grant: shown('grant'),
  time: shown('time'),
  scopes: shown('scopes'),
};
const sentenceIn = ({ events }: Words, event: DomainEvent): string =>
  eventSentence(event, { ...context, words: events });
/** What a sentence names: subjects, times, scopes, and the names in its data. */
const named = (words: Words, event: DomainEvent): readonly string[] =>
  sentenceOf(sentenceIn(words, event))
    .filter(({ kind }) => kind === 'name')
    .map(({ text }) => text)
    .toSorted();

const samples = fixtures
  .filter(({ type }) => typesWithSubjects.some((known) => known === type))
  .map((fixture) => [fixture.file, codec.decode(stored(fixture)).event] as const);
const others = languages.filter(({ tag }) => tag !== 'en');

test('every type of event that a timeline can have has an example', () => {
  expect(new Set(samples.map(([, { type }]) => type))).toEqual(new Set(typesWithSubjects));
});

describe.each(others)('PG-11: what happened, in $name', (words) => {
  test.each(samples)('%s names the same as in English', (_file, event) => {
    expect(named(words, event)).toEqual(named(english, event));
    const text = sentenceIn(words, event);
    expect(text).toMatch(/\.$/);
    expect(text).not.toMatch(/undefined|null|NaN|\[object/);
    expect(text).not.toBe(sentenceIn(english, event));
  });
});

test.each(languages)('PG-11: each kind of event has a name of its own in $name', ({ events }) => {
  expect(Object.keys(events.kinds).toSorted()).toEqual([...typesWithSubjects].toSorted());
  expect(new Set(Object.values(events.kinds)).size).toBe(typesWithSubjects.length);
});

test('PG-22: kinds of events are words that people know', () => {
  for (const kind of Object.values(english.events.kinds))
    expect(kind).not.toMatch(
      /audience|mapped|claimed|released|scope|consent|authoriz|redeem|handed|dead letter|queried|email/i,
    );
});

test('programs are told ids, times and scopes as they are spelled', () => {
  expect([spelled.grant('G'), spelled.time(0), spelled.scopes(['a', 'b'])]).toEqual([
    'grant G',
    '1970-01-01T00:00:00.000Z',
    'a b',
  ]);
});
