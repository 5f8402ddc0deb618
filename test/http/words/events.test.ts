import { describe, expect, test } from 'vitest';
import { spelled, type SentenceContext } from '../../../src/domain/describe-event.ts';
import { type DomainEvent, typesWithSubjects } from '../../../src/domain/events.ts';
import { markName, sentenceOf } from '../../../src/domain/kernel/sentence.ts';
import { codec } from '../../../src/eventstore/codec/codec.ts';
import { de } from '../../../src/http/words/de.ts';
import { en } from '../../../src/http/words/en.ts';
import { eventSentence, kindOfEvent } from '../../../src/http/words/event-words.ts';
import { fixtures, stored } from '../../eventstore/codec/fixtures.ts';

const shown = (kind: string) => (id: unknown) => markName(`${kind} ${String(id)}`);
const owner = { organizationId: 'O1', addonId: 'A1', userId: 'U1' };
const context: SentenceContext = {
  streamId: 'S1-S2',
  owner,
  organization: shown('organization'),
  addon: shown('addon'),
  user: shown('user'),
  grant: shown('grant'),
  time: shown('time'),
  scopes: shown('scopes'),
};
/** What a sentence names: subjects, times, scopes, and the names in its data. */
const named = (words: typeof en.events, event: DomainEvent): readonly string[] =>
  sentenceOf(eventSentence(words, event, context))
    .filter(({ kind }) => kind === 'name')
    .map(({ text }) => text)
    .toSorted();

const samples = fixtures
  .filter(({ type }) => typesWithSubjects.some((known) => known === type))
  .map((fixture) => [fixture.file, codec.decode(stored(fixture)).event] as const);

describe('PG-11: what happened, in German', () => {
  test('is told of every type of event that a timeline can have', () => {
    expect(Object.keys(de.events).toSorted()).toEqual([...typesWithSubjects].toSorted());
    expect(new Set(samples.map(([, { type }]) => type))).toEqual(new Set(typesWithSubjects));
  });

  test.each(samples)('%s names the same as in English', (_file, event) => {
    expect(named(de.events, event)).toEqual(named(en.events, event));
    const text = eventSentence(de.events, event, context);
    expect(text).toMatch(/\.$/);
    expect(text).not.toMatch(/undefined|null|NaN|\[object/);
    expect(text).not.toBe(eventSentence(en.events, event, context));
  });

  test('each kind of event has a name of its own', () => {
    for (const { events } of [en, de]) {
      const kinds = typesWithSubjects.map((type) => kindOfEvent(events, type));
      expect(new Set(kinds).size).toBe(kinds.length);
    }
  });
});

test('programs are told ids, times and scopes as they are spelled', () => {
  expect([spelled.grant('G'), spelled.time(0), spelled.scopes(['a', 'b'])]).toEqual([
    'grant G',
    '1970-01-01T00:00:00.000Z',
    'a b',
  ]);
});
