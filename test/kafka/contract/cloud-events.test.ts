import { CloudEvent, Kafka, type Message } from 'cloudevents';
import { describe, expect, test } from 'vitest';
import { messageFixtures } from './message-fixtures.ts';

/** The official SDK, as a reader that knows nothing of us. */
const read = ({ headers, key, value }: (typeof messageFixtures)[number]['message']): CloudEvent<unknown> => {
  const received = { headers, key, value, body: value } as Message;
  expect(Kafka.isEvent(received)).toBe(true);
  const events = Kafka.toEvent<unknown>(received);
  if (!(events instanceof CloudEvent)) throw new Error('more than one event, or none');
  return events;
};

describe.each(messageFixtures)('$type', ({ type, event, message }) => {
  test('is a valid CloudEvent in the binary mode to the official SDK', () => {
    const received = read(message);
    expect(received.validate()).toBe(true);
    expect(received).toMatchObject({
      specversion: '1.0',
      id: event.id,
      type,
      source: 'https://grantbook.example',
      subject: event.stream,
      time: new Date(event.data['at'] as number).toISOString(),
      datacontenttype: 'application/json',
      dataschema: `https://grantbook.example/asyncapi.json#/components/schemas/${type}`,
      partitionkey: message.key,
      data: JSON.parse(message.value) as unknown,
    });
    expect(received['traceparent']).toBe(event.metadata['traceparent']);
  });

  test('names attributes as CloudEvents allows, each a plain text', () => {
    const names = Object.keys(message.headers).filter((name) => name !== 'content-type');
    expect(names.filter((name) => !/^ce_[a-z0-9]{1,20}$/.test(name))).toEqual([]);
    // CloudEvents 1.0, type String: no control characters. Ours are ASCII, so that UTF-8 is nobody's question.
    expect(Object.values(message.headers).filter((value) => !/^[\x21-\x7e]+$/.test(value))).toEqual([]);
    expect(message.headers['ce_partitionkey']).toBe(message.key);
  });
});
