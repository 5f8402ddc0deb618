import type { z } from 'zod';
import {
  type DomainEvent,
  eventDescriptions,
  eventsByCategory,
  type EventType,
  eventTypes,
  ownStreamOf,
} from '../../domain/events.ts';
import type { StreamName } from '../../domain/streams.ts';
import { categoryOf } from '../../domain/kernel/stream-name.ts';
import { describeIssues, RefusedEvent, UndecodableEvent, UnknownEventType } from './codec-errors.ts';
import { type EncodedEvent, statedVersion, statesMaySkip, unwrap, wrap } from './envelope.ts';
import { type EventMetadata, InvalidAppend, type Position, type RecordedEvent } from '../event-store.ts';
import { readLeavingOutUnknown } from './leave-out-unknown.ts';
import { holdsEncrypted } from './personal-data.ts';
import { type Upcast, upcasts } from './upcasts.ts';

export type StoredEvent = {
  readonly id: string;
  readonly streamId: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: unknown;
  readonly metadata?: unknown;
  readonly created: Date;
  readonly position?: Position;
  /** Why the event must be ignored, as found from the rest of its stream. */
  readonly refused?: string;
};

export type Codec = {
  /** @throws InvalidAppend when the data does not match the event's schema */
  encode(event: DomainEvent, metadata?: EventMetadata): EncodedEvent;
  /** @throws UnknownEventType, UndecodableEvent, RefusedEvent: they name stream, revision, type and field, but no values */
  decode(stored: StoredEvent): RecordedEvent;
  /** Whether `decode` knows the type: for callers that skip other types. */
  knows(type: string): type is EventType;
  /** The version that `encode` writes. */
  versionOf(type: EventType): number;
};

type Definitions = {
  readonly schemas: { readonly [T in EventType]: z.ZodType };
  /** Whether a reader that does not know the type may continue without it; without it, none. */
  readonly maySkip?: (type: EventType) => boolean;
  readonly upcasts: { readonly [T in EventType]?: readonly Upcast[] };
  /** The allowed event types of each stream category; without it, all. */
  readonly categories?: Readonly<Record<string, object>>;
};

/** The codec for a set of schemas; the program uses `codec`, tests use their own versions. */
export const makeCodec = (definitions: Definitions): Codec => {
  const knows = (type: string): type is EventType => Object.hasOwn(definitions.schemas, type);
  const stepsOf = (type: EventType): readonly Upcast[] => definitions.upcasts[type] ?? [];
  const versionOf = (type: EventType) => stepsOf(type).length + 1;
  return {
    knows,
    versionOf,
    encode({ type, data }, metadata = {}) {
      if (!knows(type)) throw new InvalidAppend('the event type is unknown');
      const schema = definitions.schemas[type];
      const checked = schema.safeParse(data);
      if (!checked.success)
        throw new InvalidAppend(`event ${type}: ${describeIssues('data', checked.error)}`);
      return {
        type,
        data: checked.data as object,
        metadata: wrap(versionOf(type), metadata, definitions.maySkip?.(type) ?? false),
      };
    },
    decode(stored) {
      const { type } = stored;
      if (!knows(type)) throw new UnknownEventType(placeOf(stored), statesMaySkip(stored.metadata));
      refuseMisplaced(stored, definitions.categories);
      const { version, metadata } = readEnvelope(stored, versionOf(type));
      const upcasted = stepsOf(type)
        .slice(version - 1)
        .reduce((older, upcast) => upcast(older), stored.data);
      const schema = definitions.schemas[type];
      // What could not be decrypted is no field of a newer version.
      const checked = holdsEncrypted(upcasted)
        ? schema.safeParse(upcasted)
        : readLeavingOutUnknown(schema, upcasted);
      if (!checked.success)
        throw new UndecodableEvent(placeOf(stored), describeIssues('data', checked.error));
      const own = ownStreamOf(type, checked.data);
      if (definitions.categories && own !== null && own !== stored.streamId)
        throw new RefusedEvent(placeOf(stored), 'its data belongs to another stream');
      // The type of the data is inferred from this schema.
      return recorded(stored, { type, data: checked.data } as DomainEvent, metadata);
    },
  };
};

const placeOf = ({ streamId, revision, type }: StoredEvent) => ({ stream: streamId, revision, type });

const refuseMisplaced = (stored: StoredEvent, categories: Definitions['categories']): void => {
  const { streamId, type, refused } = stored;
  if (refused !== undefined) throw new RefusedEvent(placeOf(stored), refused);
  const category = categoryOf(streamId);
  const types = categories && (Object.hasOwn(categories, category) ? categories[category] : {});
  if (types && !Object.hasOwn(types, type))
    throw new RefusedEvent(
      placeOf(stored),
      `streams of the category ${category} cannot contain this event type`,
    );
};

const readEnvelope = (stored: StoredEvent, newest: number) => {
  const envelope = unwrap(stored.metadata);
  if (envelope.error) throw new UndecodableEvent(placeOf(stored), describeIssues('metadata', envelope.error));
  if (envelope.version > newest)
    throw new UndecodableEvent(
      placeOf(stored),
      `metadata.version is ${envelope.version}, newer than ${newest}, the newest version known`,
      statesMaySkip(stored.metadata),
    );
  return envelope;
};

const recorded = (stored: StoredEvent, event: DomainEvent, metadata: EventMetadata): RecordedEvent => {
  if (!stored.position) throw new UndecodableEvent(placeOf(stored), 'it has no position in the log');
  return {
    id: stored.id,
    stream: stored.streamId as StreamName,
    revision: stored.revision,
    position: stored.position,
    created: stored.created.getTime(),
    event,
    metadata,
  };
};

export const eventSchemas = Object.fromEntries(
  eventTypes.map((type) => [type, eventDescriptions[type].schema]),
) as { readonly [T in EventType]: z.ZodObject };

export const codec = makeCodec({
  schemas: eventSchemas,
  maySkip: (type) => eventDescriptions[type].maySkip,
  upcasts,
  categories: eventsByCategory,
});

/** Whether a stored event has a type or a version that this program does not know: for readers that do not decode it. */
export const isOfNewerVersion = ({ type, metadata }: Pick<StoredEvent, 'type' | 'metadata'>): boolean =>
  !codec.knows(type) || Number(statedVersion(metadata)) > codec.versionOf(type);
