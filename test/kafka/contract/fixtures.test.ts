import { describe, expect, test } from 'vitest';
import { publications } from '../../../src/kafka/contract/decisions.ts';
import { needsOwner } from '../../../src/kafka/contract/identity.ts';
import { messageFixtures, recordedIn, toMessage } from './message-fixtures.ts';

describe('the fixtures of published messages', () => {
  test('there is one for each type of message and its version', () => {
    const types = publications.map(({ message }) => message.type);
    expect(messageFixtures.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
  });

  test.each(messageFixtures)('$type is made from its event byte by byte as ever', (fixture) => {
    const recorded = recordedIn(fixture);
    expect(needsOwner(recorded)).toBe(fixture.owner !== null);
    const message = toMessage(recorded, fixture.owner);
    expect(message).toEqual(fixture.message);
    expect(message?.headers['ce_type']).toBe(fixture.type);
  });

  test.each(messageFixtures)('the data of $type is what the contract promises', ({ type, message }) => {
    const contract = publications.find((publication) => publication.message.type === type)?.message;
    const data: unknown = JSON.parse(message.value);
    expect(contract?.data.parse(data)).toEqual(data);
  });
});
