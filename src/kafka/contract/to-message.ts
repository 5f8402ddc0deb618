import type { EventType } from '../../domain/events.ts';
import type { RecordedEvent, Position } from '../../eventstore/event-store.ts';
import type { MessageToPublish } from '../kafka-client.ts';
import type { TopicNames } from '../topics.ts';
import { utc } from '../../domain/kernel/publication.ts';
import { type Publication, publications } from './decisions.ts';
import { type GrantOwner, identities } from './identity.ts';
import { schemaAddress } from './async-api/json-schema.ts';

export type MessageContext = {
  readonly source: string;
  /** The service's address, which serves `asyncapi.json` with the schemas. */
  readonly baseUrl: string;
  readonly topics: TopicNames;
};

/** @throws Error when `needsOwner` is true for the event and `owner` is null */
export type ToMessage = (recorded: RecordedEvent, owner: GrantOwner | null) => MessageToPublish | null;

/** Stored events as CloudEvents 1.0 in the binary mode of Kafka, always the same bytes; null for one that is not published. */
export const makeToMessage = (context: MessageContext): ToMessage => {
  const writers = new Map<EventType, ToMessage>(
    publications.map((publication) => [publication.event, writerOf(publication, context)]),
  );
  return (recorded, owner) => writers.get(recorded.event.type)?.(recorded, owner) ?? null;
};

const writerOf = (
  { message, fields }: Publication,
  { source, baseUrl, topics }: MessageContext,
): ToMessage => {
  const topic = topics.out[message.topic];
  const identify = identities[message.identity];
  const writeFields = fieldsWriter(fields);
  const always = {
    ce_specversion: '1.0',
    ce_source: source,
    ce_type: message.type,
    ce_dataschema: schemaAddress(baseUrl, message.type),
    'content-type': 'application/json',
  };
  return (recorded, owner) => {
    const { key, data } = identify(recorded, owner);
    const { traceparent } = recorded.metadata;
    return {
      topic,
      key,
      value: JSON.stringify(writeFields(data, recorded.event.data)),
      headers: {
        ...always,
        ce_id: recorded.id,
        ce_subject: recorded.stream,
        ce_time: utc(recorded.event.data.at),
        ce_partitionkey: key,
        ce_sequence: sequenceOf(recorded.position),
        ...(traceparent !== undefined && { ce_traceparent: traceparent }),
      },
    };
  };
};

/** In the order of the decisions, so that the output does not depend on how an event was stored. */
const fieldsWriter = (fields: Publication['fields']) => {
  const published = Object.entries(fields).flatMap(([field, decision]) =>
    decision.kind === 'published' ? [{ field, name: decision.name, write: decision.write }] : [],
  );
  return (identity: object, data: object): object => {
    const made: Record<string, unknown> = { ...identity };
    // `mustKnow` and `maySkip` have already checked that the field has the type that `write` accepts.
    for (const { field, name, write } of published) made[name] = write(data[field as never]);
    return made;
  };
};

/** The largest value of a half has 20 digits. */
const padded = (half: bigint) => half.toString().padStart(20, '0');

/** An event's position in the log as text with the same sort order (the CloudEvents extension `sequence`). */
export const sequenceOf = ({ commit, prepare }: Position): string => `${padded(commit)}.${padded(prepare)}`;
