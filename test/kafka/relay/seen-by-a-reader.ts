import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import type { MessageToPublish } from '../../../src/kafka/kafka-client.ts';

/** Of each id the first copy. @throws when a later copy is another message */
export const keptOnce = <M extends MessageToPublish>(messages: readonly M[]): readonly M[] => {
  const kept = new Map<string, M>();
  for (const message of messages) {
    const id = idOf(message);
    const first = kept.get(id);
    if (first === undefined) kept.set(id, message);
    else if (asText(first) !== asText(message))
      throw new Error(`two messages ${id}:\n${asText(first)}\n${asText(message)}`);
  }
  return [...kept.values()];
};

export const idOf = ({ headers }: Pick<MessageToPublish, 'headers'>): string => String(headers['ce_id']);

const asText = ({ topic, key, value, headers }: MessageToPublish): string =>
  JSON.stringify([
    topic,
    String(key),
    String(value),
    Object.entries(headers).map(([name, of]) => [name, String(of)]),
  ]);

/** Ids in order, by the key that the log says they should have. */
export const idsByKey = (
  ids: readonly string[],
  keys: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly string[]>> => {
  const byKey: Record<string, string[]> = {};
  for (const id of ids) (byKey[keys.get(id) ?? 'nobody knows'] ??= []).push(id);
  return byKey;
};

/** What a reader must find of a log. */
export const idsInLog = (
  events: readonly RecordedEvent[],
  keys: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly string[]>> =>
  idsByKey(
    events.map(({ id }) => id).filter((id) => keys.has(id)),
    keys,
  );
