import type { RecordedEvent } from '../../../../src/eventstore/event-store.ts';
import type { MessageToPublish } from '../../../../src/kafka/kafka-client.ts';
import type { TopicNames } from '../../../../src/kafka/topics.ts';
import { idOf } from '../../relay/seen-by-a-reader.ts';

/** Ids of events in their order, by the topic and the key that they are under. */
export type ByTopicAndKey = Readonly<Record<string, readonly string[]>>;

/** Where ADR 16 says that the messages of these events are, told from the streams alone. */
export const expectedOf = (events: readonly RecordedEvent[], { out }: TopicNames): ByTopicAndKey => {
  const grants = new Map<string, string>();
  const placeOf = ({ stream, event }: RecordedEvent): string => {
    const [category, id] = [stream.slice(0, stream.indexOf('-')), stream.slice(stream.indexOf('-') + 1)];
    if (event.type === 'AuthorizationCodeIssued') {
      const { subject, addonId } = event.data;
      const owner = subject.kind === 'organization' ? subject.organizationId : subject.userId;
      grants.set(id, `${owner}.${addonId}`);
    }
    if (category === 'grant') return `${out.grants} ${grants.get(id)}`;
    return `${category === 'activation' ? out.activations : category === 'addon' ? out.addons : out.grants} ${id}`;
  };
  return collect(events.map((event) => [placeOf(event), event.id]));
};

export const idsByTopicAndKey = (messages: readonly MessageToPublish[]): ByTopicAndKey =>
  collect(messages.map((message) => [`${message.topic} ${String(message.key)}`, idOf(message)]));

const collect = (entries: readonly (readonly [place: string, id: string])[]): ByTopicAndKey => {
  const places: Record<string, string[]> = {};
  for (const [place, id] of entries) (places[place] ??= []).push(id);
  return Object.fromEntries(Object.entries(places).sort(([a], [b]) => a.localeCompare(b)));
};
